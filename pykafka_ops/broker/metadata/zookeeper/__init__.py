"""The tree of znodes on a ZooKeeper ensemble: session, watches, reads in bulk."""
