"""``pko monitor``: watches clusters, and shows their state over HTTP, on pages and by alerts."""
