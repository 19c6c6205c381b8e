"""What ``pko cluster`` shows."""
