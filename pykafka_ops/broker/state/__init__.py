"""Pure rules: no async, no clock, no files, no sockets."""
