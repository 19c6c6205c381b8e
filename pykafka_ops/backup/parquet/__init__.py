"""Records kept as Parquet, for whatever reads that; takes PyArrow."""
