"""Metrics: names and values, the names of dashboards, and Prometheus' text."""
