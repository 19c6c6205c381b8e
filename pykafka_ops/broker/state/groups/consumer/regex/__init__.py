"""Regular expressions as RE2 has them: time grows with the text, whatever the expression.

Python's own go back and forth, and one client's expression could keep a broker busy for ever.
``parse.py`` reads the syntax, ``program.py`` makes instructions of it, ``match.py`` follows them.
"""
