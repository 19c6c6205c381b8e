"""Listeners and connections: bytes in, requests served, bytes out."""
