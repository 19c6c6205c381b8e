"""Groups of the consumer rebalance protocol (KIP-848): the broker assigns partitions.

``group.py`` holds what the log says of a group, ``heartbeat.py`` and ``leaving.py`` what members
do, ``assignors/`` and ``reconcile.py`` who gets which partition and when, ``classic.py`` and
``migration.py`` what members of the older protocol are in such a group. ``shard.py`` is the door.
"""
