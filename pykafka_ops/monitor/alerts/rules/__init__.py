"""When alerts begin and end, and what is told of them together. Pure: time and ids come in."""
