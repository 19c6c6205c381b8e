"""The records of a running cluster, as Spark reads them."""
