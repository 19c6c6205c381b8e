"""What the APIs ask for: topics, settings, producer ids, the controller's answers."""
