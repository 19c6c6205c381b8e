"""A broker among others: its membership, ids and peers, its requests to the controller."""
