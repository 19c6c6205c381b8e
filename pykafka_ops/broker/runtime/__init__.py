"""Sockets, loops and timers; builds the broker and stops it."""
