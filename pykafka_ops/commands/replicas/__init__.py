"""kafka-replica-verification: whether all replicas of a partition hold the same."""
