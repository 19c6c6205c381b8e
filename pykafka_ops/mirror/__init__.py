"""Copies topics, groups and settings from one Kafka cluster to another, while both are in use."""
