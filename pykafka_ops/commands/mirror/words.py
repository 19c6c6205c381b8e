"""Words of the command line that several verbs read."""

from __future__ import annotations

from pykafka_ops.client.leaders import Partition
from pykafka_ops.errors import UsageError

_DIGITS = 9
"""Of a partition's number, at most."""


def partition_of(text: str) -> Partition:
    """``orders-3``. UsageError."""
    topic, dash, number = text.rpartition("-")
    if not (dash and topic and number.isascii() and number.isdigit() and len(number) <= _DIGITS):
        raise UsageError(f"--partition {text}: write TOPIC-N, such as orders-3")
    return topic, int(number)
