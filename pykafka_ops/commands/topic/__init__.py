"""What ``pko topics`` is made of."""
