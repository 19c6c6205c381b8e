"""The history of committed offsets, as a table."""
