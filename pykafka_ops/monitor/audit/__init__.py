"""Who changed what: one line of JSON each, kept within a bound."""
