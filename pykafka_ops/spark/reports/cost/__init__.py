"""The cost report: what topics cost at rest and on the network, and what could be saved."""
