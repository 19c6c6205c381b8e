"""Books of ``pko audit`` in the monitor: which tiers there are, and whether they agree."""
