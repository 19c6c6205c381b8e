"""Spark's data frames over Arrow in this process, as far as reports use them: no JVM, and nothing
of Spark is imported."""
