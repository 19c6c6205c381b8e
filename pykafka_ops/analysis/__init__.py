"""Functions from plain values to plain values, shared by commands, broker and Spark."""
