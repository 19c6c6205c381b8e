"""What is told of a view in words: how the cluster is, what is broken and why. Pure."""
