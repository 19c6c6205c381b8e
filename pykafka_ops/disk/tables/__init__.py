"""What Kafka 4 writes into its own logs: a table of fields for each kind of record."""
