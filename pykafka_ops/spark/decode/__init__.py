"""From bytes of a log to columns: pure functions over whole chunks."""
