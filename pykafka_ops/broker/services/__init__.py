"""Services behind the handlers: topics, settings, producer ids, the controller's answers."""
