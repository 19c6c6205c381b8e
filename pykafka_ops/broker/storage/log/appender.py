"""Appending to a log as its leader, or as a follower (``UnifiedLog.appendAsLeader`` and
``appendAsFollower``)."""

from __future__ import annotations

from typing import NamedTuple

from pykafka_ops.broker.hot.append import checked, is_due, write
from pykafka_ops.broker.hot.raw import Fields
from pykafka_ops.broker.hot.raw import header as fields_of
from pykafka_ops.broker.state.producers import Origin
from pykafka_ops.broker.storage.copied.batches import put, usual
from pykafka_ops.broker.storage.log.loading import load
from pykafka_ops.broker.storage.log.parts import LogParts
from pykafka_ops.broker.storage.log.writing import append_failed, look, roll_if_due, write_batch
from pykafka_ops.broker.storage.replay import Marker, add_batch, read_marker
from pykafka_ops.broker.storage.scan import UP_TO_MAGIC, check, header_at
from pykafka_ops.broker.storage.validate import (
    Prepared,
    ValidationRules,
    prepare,
)
from pykafka_ops.disk.batch import (
    HEADER_SIZE,
    BatchHeader,
    read_header,
    set_offsets,
)
from pykafka_ops.errors import CorruptBatchError, KafkaError
from pykafka_ops.wire.codes import ErrorCode

_CLIENT = Origin.CLIENT
_COORDINATOR = Origin.COORDINATOR
_new = tuple.__new__


class AppendInfo(NamedTuple):
    """What an append did. Offsets are -1 if there was nothing to append; ``log_append_time`` (ms)
    is -1 for CreateTime topics; a ``duplicate`` was appended before, at these offsets."""

    first_offset: int
    last_offset: int
    log_append_time: int
    log_start_offset: int
    duplicate: bool = False


def append(
    parts: LogParts,
    records: memoryview,
    leader_epoch: int,
    now: int,
    origin: Origin,
    guard: object | None,
) -> AppendInfo:
    """As ``Log.append_as_leader``."""
    tail = parts.tail
    active = tail.active or load(parts)
    fields = checked(tail, records) if origin is _CLIENT else _own(parts, records, origin)
    if fields is None:
        return _append_checked(parts, records, leader_epoch, now, origin, guard)
    if is_due(tail, active, fields):
        last = tail.end + fields[6]
        active = roll_if_due(parts, fields[1] + 12, fields[8], (tail.end, last), now)
    if now >= tail.look_at:
        look(parts, now)
    if leader_epoch != tail.latest_epoch:
        parts.epochs.assign(leader_epoch, tail.end)
    position = active.size
    try:
        first = write(tail, active, records, fields, leader_epoch)
    except OSError as error:
        raise append_failed(parts, active, position, error) from error
    info: AppendInfo = _new(AppendInfo, (first, first + fields[6], -1, tail.start, False))
    return info


def _own(parts: LogParts, records: memoryview, origin: Origin) -> Fields | None:
    """The header fields of a plain batch that this broker made for an internal topic, with
    usual settings: nothing in it needs to be checked or rewritten. None for any other."""
    fields: Fields = fields_of(records)
    if (
        origin is not _COORDINATOR
        or fields[5]
        or fields[9] >= 0
        or fields[1] + 12 > parts.tail.own_bytes
    ):
        return None
    return fields


# -- with every check and rewrite of Kafka's ---------------------------------------------------


def _append_checked(
    parts: LogParts,
    records: memoryview,
    leader_epoch: int,
    now: int,
    origin: Origin,
    guard: object | None,
) -> AppendInfo:
    place, tail = parts.place, parts.tail
    prepared: Prepared | None
    if origin is Origin.CHECKED:
        origin, prepared = _CLIENT, Prepared(records, read_header(records))
    else:
        quick = origin is _CLIENT
        rules = ValidationRules(place.config, place.name, now, origin, quick)
        prepared = prepare(records, rules)
    if prepared is None:
        return AppendInfo(-1, -1, -1, tail.start)
    data, header = prepared
    if header.size > tail.segment_bytes:
        raise KafkaError(
            ErrorCode.RECORD_LIST_TOO_LARGE,
            f"Message batch size is {header.size} bytes in append to partition {place.name}, "
            f"which exceeds the maximum configured segment size of {tail.segment_bytes}.",
        )
    marker = None
    if header.producer_id >= 0:
        duplicate = _check_producer(parts, header, origin, guard)
        if duplicate is not None:
            return duplicate
        if header.is_control:
            marker = _check_marker(parts, prepared)
    set_offsets(data, 0, tail.end, leader_epoch)
    header = read_header(data)
    write_batch(parts, data, header, marker, now)
    parts.durability.flush_if_due()
    stamped = now if place.config.log_append_time else -1
    return AppendInfo(header.base_offset, header.last_offset, stamped, tail.start)


def _check_producer(
    parts: LogParts, header: BatchHeader, origin: Origin, guard: object | None
) -> AppendInfo | None:
    """What to answer if this batch is here already; raises if it may not come."""
    tail, base = parts.tail, header.base_sequence
    if origin == Origin.CLIENT:
        found = tail.producers.find_duplicate(
            header.producer_id, header.producer_epoch, base, header.last_sequence
        )
        if found is not None:
            return AppendInfo(
                found.first_offset, found.last_offset, found.timestamp, tail.start, True
            )
    if not header.is_control:
        tail.producers.check_batch(
            header.producer_id,
            header.producer_epoch,
            base,
            tail.end,
            transactional=header.is_transactional,
            origin=origin,
            guard=guard,
        )
    return None


def _check_marker(parts: LogParts, prepared: Prepared) -> Marker | None:
    header = prepared.header
    try:
        marker = read_marker(prepared.data, 0, header)
    except CorruptBatchError as error:
        raise KafkaError(ErrorCode.INVALID_RECORD, str(error)) from error
    if marker is not None:
        parts.tail.producers.check_marker(
            header.producer_id, header.producer_epoch, marker.coordinator_epoch, parts.tail.end
        )
    return marker


# -- as a follower ---------------------------------------------------------------------------------


def append_as_follower(parts: LogParts, records: memoryview) -> AppendInfo:
    """As ``Log.append_as_follower``, to a log that is open."""
    start, first, last, position = parts.tail.start, -1, -1, 0
    now = parts.place.home.settings.clock()
    size = usual_bytes(parts, records)
    if size > 0:
        first = fields_of(records)[0]
        last = _append_usual(parts, records[:size], now)
    else:
        for header, marker in _sound(parts, records):
            batch = records[position : position + header.size]
            write_batch(parts, batch, header, marker, now)
            first = header.base_offset if first < 0 else first
            last = header.last_offset
            position += header.size
    parts.durability.flush_if_due()
    return AppendInfo(first, last, -1, start)


def usual_bytes(parts: LogParts, records: memoryview) -> int:
    """Bytes of the usual batches that are all there is but for a cut one; else none."""
    active = parts.tail.active
    try:
        return 0 if active is None else usual(parts.tail, active, records)
    except OverflowError:  # numbers that nobody sends
        return 0


def _append_usual(parts: LogParts, records: memoryview, now: int) -> int:
    """Write them; the last offset. Raises KafkaError KAFKA_STORAGE_ERROR."""
    tail, active, position = parts.tail, parts.segments.active, 0
    if now >= tail.look_at:
        look(parts, now)

    def replay(place: int) -> None:
        add_batch(tail.producers, header_at(records, place))

    try:
        while position < len(records):
            position = put(tail, active, records, position, replay)
    except OSError as error:
        raise append_failed(parts, active, active.size, error) from error
    finally:
        parts.producers.settle()
    return tail.end - 1


def _sound(parts: LogParts, records: memoryview) -> list[tuple[BatchHeader, Marker | None]]:
    """The whole batches, which follow the log's end and match their CRCs, and what ends a
    transaction in them."""
    name = parts.place.name
    found: list[tuple[BatchHeader, Marker | None]] = []
    position, following, end = 0, parts.tail.end, len(records)
    try:
        while position + UP_TO_MAGIC < end:
            header = _header(records, position)
            if header is None:
                break
            if not check(records, position, header):
                raise CorruptBatchError(f"Record is corrupt (stored crc = {header.crc})")
            marker = None
            if header.magic >= 2 and header.is_control and header.producer_id >= 0:
                marker = read_marker(records, position, header)
            base, last = header.base_offset, header.last_offset
            if last < following or last < base or (header.magic >= 2 and base < following):
                raise KafkaError(
                    ErrorCode.UNKNOWN_SERVER_ERROR,
                    f"Unexpected offset in append to {name}. First offset {base} is less "
                    f"than the next offset {following}. Log start offset = {parts.tail.start}",
                )
            following = last + 1
            found.append((header, marker))
            position += header.size
    except CorruptBatchError as error:
        raise KafkaError(
            ErrorCode.CORRUPT_MESSAGE, f"{error} in topic partition {name}."
        ) from error
    return found


def _header(records: memoryview, position: int) -> BatchHeader | None:
    """The header of the batch at ``position``; None if its end is missing."""
    if len(records) - position < HEADER_SIZE:
        padded = bytes(records[position:]) + bytes(HEADER_SIZE)
        header = header_at(padded, 0)
    else:
        header = header_at(records, position)
    return header if header.size <= len(records) - position else None
