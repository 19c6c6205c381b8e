"""Two runs of a report against each other."""
