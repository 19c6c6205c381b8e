"""Writing a batch to the active segment, or to a new one, with all that is kept beside it."""

from __future__ import annotations

import errno

from pykafka_ops.broker.hot.append import add
from pykafka_ops.broker.hot.heads import ShortenedError
from pykafka_ops.broker.storage.files import Buffer
from pykafka_ops.broker.storage.log.parts import LogParts
from pykafka_ops.broker.storage.log.tail import ALWAYS
from pykafka_ops.broker.storage.replay import Marker, add_batch, add_marker
from pykafka_ops.broker.storage.segment import Segment
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.txn_index import AbortedTxn
from pykafka_ops.errors import KafkaError

LOOK_MS = 100
"""That a file was cut is seen at the next write; that it was removed, when so much time has passed,
at a flush and at a roll. To ask each time would take more than anybody gains."""


def roll(parts: LogParts, base_offset: int = 0) -> Segment:
    """Begin a new segment at the log's end (or at ``base_offset`` if that is higher), unless the
    active one begins there.

    The old one is synced in the background. Raises KafkaError KAFKA_STORAGE_ERROR.
    """
    place, tail, closed = parts.place, parts.tail, parts.segments.active
    base = max(base_offset, tail.end)
    if base == closed.base_offset:
        return closed
    with place.disk_errors():
        closed.check_intact()
        segment = parts.segments.roll(base, place.home.settings.clock())
        tail.begin(segment)
        tail.producers.end_offset = base
        snapshot = parts.producers.take_snapshot()
    parts.durability.flush_rolled(closed, base, snapshot)
    return segment


def roll_if_due(
    parts: LogParts, size: int, max_timestamp: int, span: tuple[int, int], now: int
) -> Segment:
    """The segment for a batch of ``size`` bytes with offsets ``span``: a new one if due.

    The first batch after the log was opened or cut comes by here. Raises KafkaError
    KAFKA_STORAGE_ERROR.
    """
    place, active = parts.place, parts.segments.active
    place.home.before_growth(place.key, parts.durability.recovery_point)
    if active.should_roll(size, max_timestamp, span[1], now):
        active = roll(parts, span[0])
    first = active.first_timestamp if active.size else max_timestamp
    age = place.config.max_segment_ms - active.jitter_ms
    parts.tail.roll_after = first + age if first >= 0 else ALWAYS
    return active


def look(parts: LogParts, now: int) -> None:
    """Whether the active segment is still there, now and then. Raises KafkaError
    KAFKA_STORAGE_ERROR.

    One that is not held open need not be looked at: to append to it opens it by its name.
    """
    parts.tail.look_at = now + LOOK_MS
    active = parts.segments.active
    try:
        if active.log.is_held():
            active.check_intact()
    except OSError as error:
        raise parts.place.home.fail(error) from error


def write_batch(
    parts: LogParts, data: Buffer, header: BatchHeader, marker: Marker | None, now: int
) -> None:
    """Write a batch that has its offsets; ``marker`` is the end of a transaction in it.

    Raises KafkaError KAFKA_STORAGE_ERROR; nothing is written then.
    """
    tail, last = parts.tail, header.last_offset
    span = (header.base_offset, last)
    active = roll_if_due(parts, header.size, header.max_timestamp, span, now)
    if header.magic < 2:
        parts.epochs.clear()
    elif header.partition_leader_epoch >= 0:
        parts.epochs.assign(header.partition_leader_epoch, header.base_offset)
    position = active.size
    if now >= tail.look_at:
        look(parts, now)
    try:
        if marker is not None and marker.aborted:
            _note_aborted(parts, active, header)
        add(active, data, header.size, last, header.max_timestamp)
    except OSError as error:
        raise append_failed(parts, active, position, error) from error
    tail.end = last + 1
    if marker is not None:
        add_marker(tail.producers, header, marker)
    elif header.producer_id >= 0 and header.magic >= 2 and not header.is_control:
        add_batch(tail.producers, header)
    tail.producers.end_offset = tail.end
    parts.producers.settle()
    if header.magic >= 2:
        tail.remember(header.base_offset, position)
    else:
        tail.forget_places()


def _note_aborted(parts: LogParts, active: Segment, header: BatchHeader) -> None:
    """Put an abort into the transaction index, before its marker is written: readers of
    committed data must never see the marker without it."""
    done = parts.tail.producers.peek_marker(header.producer_id, header.base_offset, aborted=True)
    if done is not None:
        active.append_aborted(
            AbortedTxn(
                done.producer_id, done.first_offset, done.last_offset, done.last_stable_offset
            )
        )


def append_failed(parts: LogParts, active: Segment, position: int, error: OSError) -> KafkaError:
    """A write failed: take back what it left. If not even that works, the directory is done; of a
    file that was cut or removed by somebody else only the partition."""
    home = parts.place.home
    if isinstance(error, FileNotFoundError):
        error = ShortenedError(active.log.path)
    if isinstance(error, ShortenedError):
        return home.fail(error)
    try:
        active.truncate_log(position)
        active.truncate_aborted(parts.tail.end)
    except OSError as again:
        home.fail(OSError(errno.EIO, f"cannot take back a failed write: {again}"))
    return home.fail(error)
