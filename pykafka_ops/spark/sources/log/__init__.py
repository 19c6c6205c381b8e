"""``kafka-log``: records and batches of log segments, as Spark reads them."""
