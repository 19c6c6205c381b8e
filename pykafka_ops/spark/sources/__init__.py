"""Python Data Sources of Spark over Kafka's files and clusters."""
