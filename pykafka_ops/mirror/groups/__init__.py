"""Consumer groups of the source, brought to the target with offsets that name the same records."""
