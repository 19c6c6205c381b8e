"""The partitions whose replicas this broker has: roles, followers, and who waits for them."""
