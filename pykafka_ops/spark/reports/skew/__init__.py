"""The skew report: uneven partitions, brokers and keys."""
