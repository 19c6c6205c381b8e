"""What ``pko dump-log repair`` does to a directory."""
