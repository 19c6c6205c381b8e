"""What a compaction leaves of one batch (``Cleaner.cleanInto``, ``MemoryRecords.filterTo``).

A batch that keeps all its records is passed on as it is; otherwise its records are cut out as
bytes and put together under a new header: offsets, base offset, sequences and codec stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pykafka_ops.broker.storage.cleaner.job import CompactionReport
from pykafka_ops.broker.storage.cleaner.keys import KeyMap
from pykafka_ops.broker.storage.cleaner.loops import KEYLESS, TOMBSTONE, Sifted, pick, sift
from pykafka_ops.broker.storage.cleaner.transactions import CleanedTransactions
from pykafka_ops.disk.batch import DELETE_HORIZON_FLAG, NO_TIMESTAMP, BatchHeader
from pykafka_ops.disk.build import assemble
from pykafka_ops.disk.compression import DECOMPRESSED_LIMIT, compress
from pykafka_ops.disk.legacy import build_messages, iter_message, read_message_header
from pykafka_ops.disk.record import payload, payload_view
from pykafka_ops.disk.varint import read_varint, read_varlong, varint
from pykafka_ops.disk.walk import walk

Kept = bytes | bytearray | memoryview


class LastRecord(NamedTuple):
    """Where an active producer's last data ends, None if only markers are left; its epoch."""

    offset: int | None
    epoch: int


class Retention(NamedTuple):
    """What decides: the newest offset of each key, who is active, the time of the pass (ms),
    whether tombstones of formats v0 and v1 stay; ``report`` counts records without a key.
    ``fates`` are the notes of the first pass from offset ``fates_from`` on (see ``loops``)."""

    keys: KeyMap
    active: Mapping[int, LastRecord]
    now: int
    delete_retention_ms: int
    keep_old_tombstones: bool
    report: CompactionReport
    fates: bytearray
    fates_from: int

    def fates_of(self, header: BatchHeader) -> bytearray | None:
        """What is known of the offsets of a batch, None if the first pass did not see all."""
        begin = header.base_offset - self.fates_from
        end = header.next_offset - self.fates_from
        if begin < 0 or end > len(self.fates) or header.last_offset > self.keys.latest_offset:
            return None
        return self.fates[begin:end]

    @property
    def horizon(self) -> int | None:
        """When tombstones found now may go (ms); None for never."""
        found = self.now + self.delete_retention_ms
        return found if found < 2**63 else None


def records_of(
    data: memoryview, header: BatchHeader
) -> tuple[bytes | memoryview, tuple[int, int, int]]:
    """The plain records of a batch v2 and where they stand: (start, end, number)."""
    plain = payload_view(data, 0, header, DECOMPRESSED_LIMIT)
    return plain, (0, len(plain), header.record_count)


def retain(
    data: memoryview, header: BatchHeader, rules: Retention, transactions: CleanedTransactions
) -> Kept | None:
    """The bytes that stay of a batch or old message, None if nothing does.

    Raises CorruptBatchError if its records cannot be read.
    """
    if header.magic < 2:
        return _retain_old(data, header, rules)
    if header.is_control:
        return _retain_marker(data, header, rules, transactions.on_marker(data, header))
    if transactions.on_batch(header):
        return _emptied(header) if _is_last_of_producer(header, rules) else None
    return _retain_data(data, header, rules)


def _is_last_of_producer(header: BatchHeader, rules: Retention) -> bool:
    """Whether an active producer's last sequence, or only its epoch, would go with the batch."""
    last = rules.active.get(header.producer_id) if header.producer_id >= 0 else None
    if last is None:
        return False
    if last.offset is not None:
        return header.last_offset == last.offset
    return header.is_control and header.producer_epoch == last.epoch


def _expired(header: BatchHeader, now: int) -> bool:
    horizon = header.delete_horizon_ms
    return horizon is not None and horizon <= now


def _retain_marker(
    data: memoryview, header: BatchHeader, rules: Retention, nothing_left: bool
) -> Kept | None:
    """A marker without data waits as long as a tombstone does; an empty one goes at once."""
    discarded = nothing_left and _expired(header, rules.now)
    if discarded or not header.record_count:
        return _emptied(header) if _is_last_of_producer(header, rules) else None
    if nothing_left and not header.has_delete_horizon and rules.horizon is not None:
        plain = payload(data, 0, header, DECOMPRESSED_LIMIT)
        return _with_horizon(plain, header, header.record_count, rules)
    return data


def _retain_data(data: memoryview, header: BatchHeader, rules: Retention) -> Kept | None:
    fates = rules.fates_of(header)
    if fates is not None and header.record_count and not fates.strip(b"\x00"):
        return data
    plain, found = _sifted(data, header, rules, fates)
    if not found.kept:
        return _emptied(header) if _is_last_of_producer(header, rules) else None
    whole = found.kept == header.record_count
    fresh = found.tombstones and not header.has_delete_horizon and rules.horizon is not None
    if whole and not fresh:
        return data
    plain = b"".join([plain[begin:end] for begin, end in found.runs])
    if fresh:
        return _with_horizon(plain, header, found.kept, rules)
    return _rebuilt(plain, _narrowed(plain, header, found.kept))


def _sifted(
    data: memoryview, header: BatchHeader, rules: Retention, fates: bytearray | None
) -> tuple[bytes | memoryview, Sifted]:
    """The plain records and which of them stay; not looked at if all are known to go."""
    drop = _expired(header, rules.now)
    if fates is None:
        plain, span = records_of(data, header)
        found = sift(plain, span, header.base_offset, rules.keys, drop_tombstones=drop)
        rules.report.keyless += found.keyless
        return plain, found
    rules.report.keyless += fates.count(KEYLESS)
    if 0 not in fates and TOMBSTONE not in fates:
        return b"", Sifted([], 0, False, 0)
    plain, span = records_of(data, header)
    return plain, pick(plain, span, fates, drop_tombstones=drop)


def _narrowed(plain: bytes, header: BatchHeader, count: int) -> BatchHeader:
    """The header for fewer records: their number and, unless the broker stamped them, the
    largest of their timestamps."""
    header = header._replace(record_count=count)
    latest = max((spot[1] for spot in walk(plain, header)), default=NO_TIMESTAMP)
    return header._replace(max_timestamp=max(latest, NO_TIMESTAMP))


def _with_horizon(plain: bytes, header: BatchHeader, count: int, rules: Retention) -> bytearray:
    """The batch from now on says when its tombstones may go (KIP-534): the horizon takes the
    place of the base timestamp, from which the records' timestamps then count."""
    horizon = rules.horizon or 0
    narrowed = _narrowed(plain, header, count)
    stamped = narrowed.max_timestamp if header.is_log_append_time else None
    out = bytearray()
    at, end = 0, len(plain)
    while at < end:
        size, at = read_varint(plain, at)
        stop = at + size
        delta, rest = read_varlong(plain, at + 1)
        timestamp = header.base_timestamp + delta if stamped is None else stamped
        body = varint((timestamp - horizon + 2**63) % 2**64 - 2**63)  # wraps as Java's long
        out += varint(1 + len(body) + stop - rest)
        out.append(plain[at])
        out += body
        out += plain[rest:stop]
        at = stop
    flagged = narrowed.attributes | DELETE_HORIZON_FLAG
    return _rebuilt(out, narrowed._replace(base_timestamp=horizon, attributes=flagged))


def _rebuilt(plain: bytes | bytearray, header: BatchHeader) -> bytearray:
    codec = header.codec
    return assemble(header, compress(codec, plain) if codec else plain)


def _emptied(header: BatchHeader) -> bytearray:
    """A batch without records that keeps the producer's last sequence and epoch."""
    kept = header.attributes & ~(DELETE_HORIZON_FLAG | 7)
    return assemble(
        header._replace(attributes=kept, base_timestamp=NO_TIMESTAMP, record_count=0), b""
    )


def _retain_old(data: memoryview, header: BatchHeader, rules: Retention) -> Kept | None:
    """A message of format v0 or v1, or a wrapper of several."""
    keys = rules.keys
    message = read_message_header(data)
    records = list(iter_message(data, 0, message, DECOMPRESSED_LIMIT))
    kept = [
        r
        for r in records
        if r.offset > keys.latest_offset
        or (
            r.key is not None
            and r.offset >= keys.get(r.key)
            and (r.value is not None or rules.keep_old_tombstones)
        )
    ]
    if len(kept) == len(records):
        return data
    if not kept:
        return None
    return build_messages(
        kept,
        message.magic,
        codec=message.codec,
        timestamp_type=message.timestamp_type,
        log_append_time=message.timestamp,
    )
