"""What the monitor gives Prometheus, under the names of exporters that dashboards know."""
