"""Files behind URIs: what those are called, how they are opened, what their stores refuse."""
