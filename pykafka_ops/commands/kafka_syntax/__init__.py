"""Kafka's command line syntax, over the same click options that our verbs declare."""
