"""A broker among others: its seat, its ids, its peers, what it asks of the controller."""
