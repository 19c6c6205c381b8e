"""Who asks the monitor, and what they may see and do."""
