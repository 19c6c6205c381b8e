"""A file per view: what a cluster's view looks like as lines and rows. No I/O and no clock."""
