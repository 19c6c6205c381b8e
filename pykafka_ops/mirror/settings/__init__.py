"""What a mirror is told: clusters, links between them, limits. Read from mirror.toml, or from the
properties of MirrorMaker 2."""
