"""Alerts of ``pko monitor``: rules over facts, told once when they begin and once when they end."""
