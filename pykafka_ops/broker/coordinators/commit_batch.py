"""The batch of commits of the same partitions, ready but for what differs between them."""

from __future__ import annotations

from pykafka_ops.broker.state.groups.offsets import TopicPartition
from pykafka_ops.broker.state.groups.records import (
    NEVER,
    OffsetAndMetadata,
    OffsetRecord,
    encode_entry,
)
from pykafka_ops.disk.batch import HEADER_SIZE
from pykafka_ops.disk.build import build_plain

PARTITION_BYTES = 200
"""What a path, and what is known of its requests, holds for a partition; measured."""
_VERSION, _TIME = 2, 8
"""Bytes of a value's version, with which it begins, and of its time, with which it ends."""


def batch_of(
    group_id: str, places: list[TopicPartition], notes: list[str]
) -> tuple[bytearray, list[int], list[int]]:
    """The batch, and for each record where in it the value's offset begins, which the leader epoch
    follows, and where its time."""
    entries = []
    for (topic, index), note in zip(places, notes, strict=True):
        value = OffsetAndMetadata(0, 0, note, 0, NEVER)
        entries.append(encode_entry(OffsetRecord(group_id, topic, index, value)))
    batch = build_plain(entries, 0)
    end, offsets, times = HEADER_SIZE, [], []
    for key, data in entries:
        assert data is not None
        start = batch.index(data, batch.index(key, end) + len(key))
        end = start + len(data)
        offsets.append(start + _VERSION)
        times.append(end - _TIME)
    return batch, offsets, times
