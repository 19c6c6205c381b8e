"""Which replicas to move, in which order, and how fast."""
