"""What keys and values of topics are made of, how they are compressed, and how they could be."""
