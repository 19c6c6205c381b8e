"""Alerts of ``pko monitor``: rules over facts, a message when they fire and when they resolve."""
