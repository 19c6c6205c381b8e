"""Logs on disk: segments, recovery, log directories."""
