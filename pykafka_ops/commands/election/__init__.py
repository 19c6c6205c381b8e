"""What ``pko leader-election`` does."""
