"""Logs in memory and batches for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.state.producers import Origin
from pykafka_ops.broker.storage.log.appender import AppendInfo
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.broker.storage.log.partition_dir import PartitionDir
from pykafka_ops.broker.storage.log.parts import Checkpointed
from pykafka_ops.broker.storage.log_home import LogHome, StorageSettings
from pykafka_ops.broker.storage.scan import header_at
from pykafka_ops.broker.storage.validate import TakesLongError, prepare
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.control import ControlType, EndTxnMarker, build_marker
from pykafka_ops.disk.record import Record, iter_records
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.files import MemoryFiles

NOW = 1_700_000_000_000


class World:
    """A directory in memory with one log, a clock that stands still, and crashes."""

    def __init__(self, *, verify: bool = False, capacity: int | None = None, **config: Any) -> None:
        self.files = MemoryFiles(capacity=capacity)
        self.files.make_directory("/data")
        self.now = NOW
        self.files.now = NOW
        self.settings = StorageSettings(
            clock=lambda: self.now, timer=lambda: self.now, verify_transactions=verify
        )
        self.config = TopicConfig(**config)
        self.home = LogHome("/data", self.files, self.settings)
        self.log = Log.create(PartitionDir(self.home, "t", 0, self.config))

    def reopen(self, *, clean: bool = False, **known: Any) -> Log:
        """Begin anew on the same files, as after a crash or (``clean``) after a close."""
        self.home = LogHome("/data", self.files, self.settings)
        if clean:
            known.setdefault("end_offset", self.log.durability.recovery_point)
            known.setdefault("recovery_point", self.log.durability.recovery_point)
        self.log = Log(PartitionDir(self.home, "t", 0, self.config), Checkpointed(**known))
        return self.log

    def append(
        self, *values: bytes, timestamp: int = NOW, epoch: int = 0, **batch: Any
    ) -> AppendInfo:
        """One batch of records with these values, as a client sends it."""
        data = batch_of(*values, timestamp=timestamp, **batch)
        return self.log.append_as_leader(data, leader_epoch=epoch, now=self.now)

    def bases(self) -> list[int]:
        """Base offsets of the segments."""
        return [s.base_offset for s in self.log.segments]

    def names(self) -> set[str]:
        """All files, without their directories."""
        return {n.rsplit("/", 1)[1] for n in self.files.inodes}

    def end_txn(self, producer_id: int, *, commit: bool, **more: int) -> AppendInfo:
        """A marker, as the coordinator writes it."""
        return end_txn(self.log, producer_id, commit=commit, now=self.now, **more)


def filled(batches: int = 10, *, per_epoch: int = 1 << 30, **config: Any) -> World:
    """One record a batch of SIZE bytes, four batches a segment, ten milliseconds apart, all
    committed; a leader epoch lasts ``per_epoch`` batches."""
    w = World(**{"segment_bytes": 4 * SIZE, "index_interval_bytes": SIZE, **config})
    for n in range(batches):
        w.append(b"x" * 20, timestamp=NOW + 10 * n, epoch=n // per_epoch)
    w.log.raise_high_watermark(batches)
    return w


def refused(code: ErrorCode, call: Callable[[], object]) -> KafkaError:
    """The KafkaError that ``call`` raises, which must have this code."""
    with pytest.raises(KafkaError) as caught:
        call()
    assert ErrorCode(caught.value.code) == code
    return caught.value


def as_leader(log: Log, data: memoryview, **how: Any) -> AppendInfo:
    """Append as Produce does: what takes long is checked first."""
    try:
        return log.append_as_leader(data, **how)
    except TakesLongError as long:
        prepared = prepare(data, long.rules)
        assert prepared is not None
        return log.append_as_leader(prepared.data, **how, origin=Origin.CHECKED)


def end_txn(
    log: Log,
    producer_id: int,
    *,
    commit: bool,
    now: int,
    epoch: int = 0,
    coordinator_epoch: int = 0,
) -> AppendInfo:
    """Append a marker, as the coordinator writes it."""
    marker = EndTxnMarker(ControlType.COMMIT if commit else ControlType.ABORT, coordinator_epoch)
    data = build_marker(marker, timestamp=now, producer_id=producer_id, producer_epoch=epoch)
    return log.append_as_leader(
        memoryview(data), leader_epoch=max(log.latest_epoch, 0), now=now, origin=Origin.COORDINATOR
    )


def batch_of(
    *values: bytes, timestamp: int = NOW, key: bytes | None = None, **batch: Any
) -> memoryview:
    """A batch of records with these values; timestamps rise by a millisecond."""
    records = [Record(n, timestamp + n, key, value) for n, value in enumerate(values)]
    return memoryview(build_batch(records, **batch))


SIZE = len(batch_of(b"x" * 20))
"""Bytes of a batch with one record of 20 bytes."""


def headers(data: Any) -> list[BatchHeader]:
    """The headers of the whole batches in ``data``."""
    data = b"".join(data) if isinstance(data, list) else bytes(data)
    found, at = [], 0
    while at + 17 <= len(data):
        padded = data[at:] + bytes(61)
        header = header_at(padded, 0)
        if at + header.size > len(data):
            break
        found.append(header)
        at += header.size
    return found


def values(log: Log, offset: int = 0, up_to: int | None = None) -> list[tuple[int, bytes | None]]:
    """(offset, value) of every record from ``offset`` on, read as a consumer does."""
    found: list[tuple[int, bytes | None]] = []
    end = log.log_end_offset if up_to is None else up_to
    while offset < end:
        data = b"".join(log.read(offset, 4096, up_to=end).parts)
        before = offset
        at = 0
        for header in headers(data):
            found += [
                (r.offset, r.value) for r in iter_records(data, at, header) if r.offset >= before
            ]
            at += header.size
            offset = header.next_offset
        if offset == before:
            break
    return found
