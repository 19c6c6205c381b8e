"""What ``pko zookeeper`` shows of the tree of znodes."""
