"""What keys and values are made of: bytes in, plain values out."""
