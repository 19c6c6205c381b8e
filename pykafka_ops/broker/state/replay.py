"""Applies a log entry by entry to a shard that is being loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.walk import walk
from pykafka_ops.errors import CorruptError

LeftOut = Callable[[int, CorruptError], None]
"""Called for each record that cannot be understood: its offset, why."""


def replay_each(
    decode: Callable[[bytes, bytes | None], object],
    apply: Callable[[Any, int, int], None],
    data: bytes,
    header: BatchHeader,
    left_out: LeftOut,
) -> int:
    """Decode and apply every plain record in ``data``; how many there were.

    ``decode`` gives None for what means nothing here and raises CorruptError; ``apply`` gets the
    entry, the base offset of the batch and the producer id of its transaction (-1: none).
    Raises CorruptBatchError for records that are not whole.
    """
    producer_id = header.producer_id if header.is_transactional else -1
    base, count = header.base_offset, 0
    for offset, _, _, key_at, key_size, value_at, value_size, _ in walk(data, header):
        if key_size < 0:
            continue
        value = data[value_at : value_at + value_size] if value_size >= 0 else None
        try:
            entry = decode(data[key_at : key_at + key_size], value)
        except CorruptError as error:
            left_out(offset, error)
            continue
        if entry is not None:
            apply(entry, base, producer_id)
            count += 1
    return count
