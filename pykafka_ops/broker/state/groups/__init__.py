"""Classic consumer groups: members, rebalances, offsets, and the shard that holds them."""
