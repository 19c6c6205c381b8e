"""What a running broker does to its logs: retention, compaction, full and failed directories."""
