"""The tables of the configuration for alerts. Pure: reads no file and asks no cluster."""
