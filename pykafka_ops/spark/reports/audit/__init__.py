"""What tiers hold, counted by executors; two tiers compared."""
