"""Metrics as facts with names; in which words they are told is decided elsewhere."""
