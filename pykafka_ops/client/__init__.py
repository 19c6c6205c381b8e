"""Blocking client for any Kafka cluster: connections, routing, admin calls."""
