"""One partition's log on disk, made of parts."""
