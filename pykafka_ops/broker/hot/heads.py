"""The fields of a partition that usual requests touch, for what serves those and for the ordinary
classes that extend these: ``Partition``, ``Log``, ``Tail``, ``Segment``.

Offsets, bytes and ms throughout; what a field means stands at the ordinary class. Methods without a
body are those of the ordinary class, for what the path does not do by itself.
"""

from __future__ import annotations

import errno
from typing import Any, Protocol


class ShortenedError(OSError):
    """Somebody else cut or removed the file ``filename`` that is written to here."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.EIO, f"{path} was cut or removed by somebody else", path)


class AppendedFile(Protocol):
    """The file of a segment, as far as batches are added to it."""

    path: str

    def append(self, data: bytes | bytearray | memoryview, /) -> int:
        """Write all of ``data``; the file's end then. Raises OSError."""


class MeterHead:
    """What a topic has taken in."""

    __slots__ = ("bytes_in", "messages_in", "produces")

    bytes_in: int
    messages_in: int
    produces: int


BatchNumbers = tuple[int, int, int, int]
"""Last sequence, last offset, offset delta and largest timestamp (ms) of an appended batch."""


class ProducerHead:
    """One producer in a partition; ``batches`` are its last."""

    __slots__ = ("batches", "epoch", "last_timestamp", "txn_first_offset")

    batches: list[BatchNumbers]
    epoch: int
    last_timestamp: int
    txn_first_offset: int


class ProducersHead:
    """The producers of a partition; ``verifications`` is empty unless transactions wait for their
    coordinator."""

    __slots__ = ("end_offset", "states", "verifications")

    end_offset: int
    states: dict[int, Any]
    verifications: Any


class SegmentHead:
    """The end of a segment. ``log_file`` is None until it is used. ``oldest`` is the largest
    timestamp of the first batch, ``latest`` that of all, UNKNOWN until they are read."""

    __slots__ = (
        "base_offset",
        "bytes_since_index",
        "index_full",
        "index_interval_bytes",
        "latest",
        "log_file",
        "max_timestamp_offset",
        "oldest",
        "size",
    )

    base_offset: int
    bytes_since_index: int
    index_full: bool
    index_interval_bytes: int
    latest: int
    log_file: AppendedFile | None
    max_timestamp_offset: int
    oldest: int
    size: int

    def open_log(self) -> AppendedFile:
        """The ``.log`` file, which is ``log_file`` from now on. Raises OSError."""
        raise NotImplementedError

    def read_latest(self) -> int:
        """``latest``, read where it is unknown. Raises OSError."""
        raise NotImplementedError

    def add_index_entry(self, last_offset: int, position: int) -> None:
        """The batch that ends at ``last_offset`` stands at ``position``."""
        raise NotImplementedError


class TailHead:
    """The end of a log."""

    __slots__ = (
        "active",
        "end",
        "first_unstable",
        "high_watermark",
        "latest_epoch",
        "look_at",
        "offsets",
        "owed",
        "own_bytes",
        "positions",
        "producers",
        "roll_after",
        "segment_bytes",
        "start",
        "usual_bytes",
    )

    active: SegmentHead | None
    end: int
    first_unstable: int
    high_watermark: int
    latest_epoch: int
    look_at: int
    offsets: list[int]
    owed: int
    own_bytes: int
    positions: list[int]
    producers: ProducersHead
    roll_after: int
    segment_bytes: int
    start: int
    usual_bytes: int

    def trim(self) -> None:
        """Forget the older half of the places."""
        raise NotImplementedError

    def move_high_watermark(self, offset: int) -> None:
        """Set the high watermark, within the log; transactions below it are replicated."""
        raise NotImplementedError


class LogHead:
    """A log."""

    __slots__ = ("tail",)

    tail: TailHead


class PartitionHead:
    """A replica: ``used_log`` is None until somebody has used the log, ``in_sync`` where this
    broker does not lead, or the partition has no other replicas."""

    __slots__ = (
        "in_sync",
        "isr",
        "key",
        "leader",
        "leader_epoch",
        "local_id",
        "meter",
        "topic_id",
        "used_log",
    )

    in_sync: Any
    isr: tuple[int, ...]
    key: tuple[str, int]
    leader: int
    leader_epoch: int
    local_id: int
    meter: MeterHead
    topic_id: bytes
    used_log: LogHead | None

    def advance_high_watermark(self) -> bool:
        """Move it to the lowest end offset of those in sync; whether it moved."""
        raise NotImplementedError

    def enough_in_sync(self) -> bool:
        """Whether acks=all may be accepted."""
        raise NotImplementedError


class WakeHead:
    """Who waits for records: ``readers`` have a session with the partition, ``waiting`` a request,
    both by the partition's key."""

    __slots__ = ("readers", "waiting")

    readers: dict[Any, Any]
    waiting: dict[Any, Any]

    def appended(self, key: tuple[str, int]) -> None:
        """Records came: wake soon who waits for them."""
        raise NotImplementedError
