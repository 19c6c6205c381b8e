"""Several processes share the partitions of a link: as members of its group at the target."""
