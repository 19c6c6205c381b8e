"""The log cleaner: what a compaction reads, keeps and writes (``kafka.log.Cleaner``)."""
