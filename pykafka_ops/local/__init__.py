"""Brokers and a ZooKeeper as processes on this machine: for ``pko cluster``, and for tests."""
