"""A message in the form that each receiver wants. Pure: nothing is sent here."""
