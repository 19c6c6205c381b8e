"""The monitor's HTTP server: a file per door."""
