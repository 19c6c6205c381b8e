"""Access rules: what they say, which of them pass a filter, and what they decide together."""
