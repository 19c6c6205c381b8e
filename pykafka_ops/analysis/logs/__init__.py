"""What a partition's log holds: searched, counted, checked."""
