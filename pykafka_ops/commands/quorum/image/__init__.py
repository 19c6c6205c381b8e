"""The state of a cluster as its metadata log says it: read, built up, shown."""
