"""The controller at run time: its loop, its watches, its channels to the other brokers."""
