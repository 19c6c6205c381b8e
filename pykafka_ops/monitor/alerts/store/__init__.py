"""What of alerts survives a restart: one SQLite file, for one monitor or several on a host."""
