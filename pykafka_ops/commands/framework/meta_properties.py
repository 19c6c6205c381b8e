"""``meta.properties`` of a directory that may hold anything."""

from __future__ import annotations

import os

from pykafka_ops.disk.checkpoint import MetaProperties, parse_meta_properties
from pykafka_ops.disk.names import META_PROPERTIES

_MOST_BYTES = 64 << 10
"""Kafka writes about a hundred."""


def read_meta_properties(directory: str) -> MetaProperties:
    """What is in there. Raises OSError, CorruptIndexError."""
    with open(os.path.join(directory, META_PROPERTIES), "rb") as file:
        text = file.read(_MOST_BYTES).decode("latin-1")
    return parse_meta_properties(text, META_PROPERTIES)
