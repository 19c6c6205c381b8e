"""What textual draws of the pages, and the keys."""
