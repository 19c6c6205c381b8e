"""Settings of a running broker and of topics: where values come from, what may change."""
