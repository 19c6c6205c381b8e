"""What a running cluster says, as tables."""
