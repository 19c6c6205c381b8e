"""What ``pko produce`` and ``pko consume`` are made of."""
