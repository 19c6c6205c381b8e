"""A message in the form of each kind of receiver. Pure: ``delivery`` sends it."""
