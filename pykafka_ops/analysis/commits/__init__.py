"""What a group's commits say: its state now and its past."""
