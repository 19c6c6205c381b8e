"""What ``pko dump-log`` does: a file per verb, and what they share."""
