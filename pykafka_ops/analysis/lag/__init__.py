"""How far behind consumer groups are, and what retention takes from them."""
