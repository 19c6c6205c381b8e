"""When alerts fire and resolve, and which share a message. Pure: callers pass time and ids."""
