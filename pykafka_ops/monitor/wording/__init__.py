"""A view in words: how the cluster is, what is broken and why. Pure."""
