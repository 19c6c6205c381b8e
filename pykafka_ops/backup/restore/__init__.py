"""Brings what a backup holds into a cluster: as a mirror does, whose source is segment files."""
