"""Reports and data sources on Apache Spark."""
