"""A broker among others: its membership, its ids, its peers, what it asks of the controller."""
