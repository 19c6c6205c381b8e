"""The tables of the configuration that are about alerts. Pure: nothing is opened or asked."""
