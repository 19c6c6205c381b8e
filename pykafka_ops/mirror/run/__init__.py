"""A mirror at work: per link a thread that copies, one that looks for what has changed, one that
translates offsets of groups."""
