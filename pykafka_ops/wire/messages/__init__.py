"""One file per API: request and response for all versions of Kafka 3.9's table."""
