"""The history of a monitor's measurements and events, in one SQLite file of bounded size.

``store.History`` writes and reads it while a monitor runs. ``reader.HistoryReader`` reads the file,
whether a monitor runs or not.
"""
