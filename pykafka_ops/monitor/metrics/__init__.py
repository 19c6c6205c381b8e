"""What the monitor tells Prometheus, under the names of exporters that dashboards know."""
