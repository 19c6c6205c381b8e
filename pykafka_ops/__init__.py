"""Operate Apache Kafka from Python: one CLI, a Kafka-protocol broker, Spark reports."""

__version__ = "0.1.0.dev0"
