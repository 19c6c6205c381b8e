"""CMAK's answers, so that what reads CMAK reads the monitor."""
