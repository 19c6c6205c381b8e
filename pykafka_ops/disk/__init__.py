"""Bytes at rest: batches, indexes, snapshots, checkpoints. Pure: takes and returns bytes."""
