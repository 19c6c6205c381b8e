"""The verbs of ``pko reassign-partitions`` that Kafka's tool has not: options and help."""

from __future__ import annotations

_RUN = ("throttle", "per-broker", "additional", "keep-moving", "no-election")
