"""What ``pko dump-log verify`` checks: a directory in one pass over its segments."""
