"""``pko monitor``: watches clusters and tells, by HTTP, by alerts and on a page, how they are."""
