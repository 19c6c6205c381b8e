"""Work moves to the target of a link, and back: what is checked first, what is done then."""
