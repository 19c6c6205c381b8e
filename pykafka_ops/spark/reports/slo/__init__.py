"""The report on freshness: whether groups read within the time that was promised."""
