"""Messages on their way: over HTTP, by e-mail, to a command."""
