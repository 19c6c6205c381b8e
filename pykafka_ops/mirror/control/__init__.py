"""What processes of a mirror agree on: what is paused, and which topics a link has made. Kept as
records of a compacted topic at the target, so that any process can read and change it."""
