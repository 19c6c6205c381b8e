"""What a mirror says of itself: /status, /metrics, and the table of ``pko mirror status``."""
