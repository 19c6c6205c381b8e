"""What keys and values are made of, and how they are shown."""
