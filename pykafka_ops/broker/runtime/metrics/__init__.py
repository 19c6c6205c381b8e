"""The broker's metrics: collected from its parts, served over HTTP."""
