"""Producer state out of the batches of a log (``UnifiedLog.rebuildProducerState``)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pykafka_ops.broker.state.producers import BatchMetadata, CompletedTxn, Producers
from pykafka_ops.broker.storage.log_home import StorageSettings
from pykafka_ops.broker.storage.segment import Segment
from pykafka_ops.broker.storage.snapshots import Snapshots
from pykafka_ops.disk import control
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.record import iter_records
from pykafka_ops.errors import CorruptBatchError

_MARKER_LIMIT = 1 << 20

Buffer = bytes | bytearray | memoryview


class Marker(NamedTuple):
    """The end of a transaction as its coordinator wrote it; ``timestamp`` in ms."""

    aborted: bool
    coordinator_epoch: int
    timestamp: int


def read_marker(buf: Buffer, pos: int, header: BatchHeader) -> Marker | None:
    """The marker in a control batch; None in one that the cleaner emptied.

    Raises CorruptBatchError if it is none of a transaction.
    """
    for record in iter_records(buf, pos, header, _MARKER_LIMIT):
        marker = control.read_marker(record)
        aborted = marker.type is control.ControlType.ABORT
        return Marker(aborted, marker.coordinator_epoch, record.timestamp)
    return None


def add_batch(producers: Producers, header: BatchHeader) -> None:
    """Take a data batch of a producer in."""
    last = BatchMetadata(
        header.last_sequence, header.last_offset, header.last_offset_delta, header.max_timestamp
    )
    producers.add_batch(
        header.producer_id,
        header.producer_epoch,
        last,
        transactional=header.is_transactional,
    )


def add_marker(producers: Producers, header: BatchHeader, marker: Marker) -> CompletedTxn | None:
    """Take a marker in; the transaction it ended."""
    return producers.add_marker(
        header.producer_id,
        header.producer_epoch,
        marker.coordinator_epoch,
        offset=header.base_offset,
        timestamp=marker.timestamp,
        aborted=marker.aborted,
    )


def replay(
    producers: Producers, header: BatchHeader, buf: Buffer, pos: int = 0
) -> CompletedTxn | None:
    """Take any batch in; ``buf`` is looked at only for control batches."""
    completed = None
    if header.producer_id >= 0 and header.magic >= 2:
        if header.is_control:
            marker = read_marker(buf, pos, header)
            if marker is not None:
                completed = add_marker(producers, header, marker)
        else:
            add_batch(producers, header)
    producers.end_offset = header.next_offset
    return completed


def rebuild(
    producers: Producers,
    snapshots: Snapshots,
    segments: Iterable[Segment],
    *,
    start: int,
    end: int,
    settings: StorageSettings,
    now: int,
) -> None:
    """Bring ``producers`` to the state at ``end``: newest snapshot, then the batches after it.

    Raises OSError.
    """
    snapshots.load(producers, start, end, now=now, expiration_ms=settings.producer_id_expiration_ms)
    if producers.end_offset < end:
        ordered = sorted(segments, key=lambda s: s.base_offset)
        for segment, following in zip(ordered, [*ordered[1:], None], strict=True):
            if following is not None and following.base_offset <= producers.end_offset:
                continue
            if segment.base_offset < end:
                replay_segment(producers, segment, end)
    producers.end_offset = end


def replay_segment(producers: Producers, segment: Segment, end: int) -> None:
    """Take in the batches of a segment from ``producers.end_offset`` to ``end``."""
    place = segment.locate(producers.end_offset)
    if place is None:
        return
    for position, header in segment.batches(place.position):
        if header.base_offset >= end:
            return
        data = b""
        if header.magic >= 2 and header.is_control:
            data = segment.log.read(header.size, position)
        try:
            replay(producers, header, data)
        except CorruptBatchError:
            continue  # a control batch of a kind that says nothing about producers
