"""The controller at work: its loop, its watches, its way to the other brokers."""
