"""What a monitor has seen, in one SQLite file of bounded size.

``store.History`` writes and reads while a monitor runs; ``reader.HistoryReader`` reads the file of
one that runs or has ended.
"""
