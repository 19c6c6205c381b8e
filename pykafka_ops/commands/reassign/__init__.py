"""The work of ``pko reassign-partitions``: one file per action."""
