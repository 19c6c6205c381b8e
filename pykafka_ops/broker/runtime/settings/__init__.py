"""The broker's settings where they take effect: all at start, then what changes."""
