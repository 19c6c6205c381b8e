"""Reports in files: JSON, CSV, Parquet, and the history of earlier runs."""
