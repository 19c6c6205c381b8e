"""The tree of znodes: embedded in SQLite, or ZooKeeper."""
