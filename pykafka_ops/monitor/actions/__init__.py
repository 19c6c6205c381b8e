"""What the monitor may change: planned and shown first, then done, and written down."""
