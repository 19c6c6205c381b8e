"""The partitions whose replicas this broker has: roles, followers, waiting requests."""
