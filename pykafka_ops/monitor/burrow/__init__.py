"""Burrow's rules and answers, so that what reads Burrow reads the monitor."""
