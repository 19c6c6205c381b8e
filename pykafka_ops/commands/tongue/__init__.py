"""Kafka's way of reading flags, over the same click options that our verbs declare."""
