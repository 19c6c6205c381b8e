"""A cluster used as its clients do, step by step: for ``pko smoke`` and probes of the monitor."""
