"""The data path of a mirror: read, rewrite, write, commit positions, all in rounds."""
