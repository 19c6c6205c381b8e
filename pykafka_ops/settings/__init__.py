"""Every setting as a table: Kafka's name, type, default, range and documentation."""
