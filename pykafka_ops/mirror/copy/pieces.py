"""What rewriting makes of a source log: batches for the target, and what the target will take.

Values only; ``rewrite`` makes them, the writer stamps and sends them.
"""

from __future__ import annotations

from struct import Struct
from typing import Final, NamedTuple

from pykafka_ops.disk.batch import CRC_START, NO_LEADER_EPOCH, TRANSACTIONAL_FLAG
from pykafka_ops.disk.checksum import crc32c
from pykafka_ops.errors import PkoError

CODEC_MASK: Final = 7
DEFAULT_MAX_BYTES: Final = 1_048_588
"""Kafka's default of ``max.message.bytes``."""
JOIN_TO: Final = 131_072
"""Plain bytes to which small batches are joined."""
_INT64: Final = Struct(">q")
_EPOCH: Final = Struct(">i")
_ATTRIBUTES: Final = Struct(">h")
_PRODUCER: Final = Struct(">qhi")
_CRC: Final = Struct(">I")
EPOCH_AT, CRC_AT, ATTRIBUTES_AT, PRODUCER_AT = 12, 17, 21, 43


class RecordTooLargeError(PkoError):
    """One record takes more than the target's ``max.message.bytes`` even alone in a batch."""

    def __init__(self, offset: int, size: int, limit: int) -> None:
        super().__init__(
            f"the record at source offset {offset} takes {size} bytes in a batch of its own, the "
            f'target takes {limit}: raise max.message.bytes there, or set too_large = "skip"'
        )
        self.offset, self.size, self.limit = offset, size, limit


class TargetLimits(NamedTuple):
    """What the target topic takes.

    ``max_bytes``: of a batch (``max.message.bytes``). ``appended``: it stamps records itself
    (``message.timestamp.type=LogAppendTime``). ``zstd``: it knows that codec (Kafka 2.1 and newer).
    """

    max_bytes: int = DEFAULT_MAX_BYTES
    appended: bool = False
    zstd: bool = True


class SourceRun(NamedTuple):
    """``length`` records in a row: their first offset at the source, and their place in the batch
    that carries them to the target."""

    source_offset: int
    target_relative: int
    length: int


class TargetBatch:
    """A batch for the target, or (``data`` empty) a stretch of the source that gives none.

    ``first`` and ``next_offset`` are source offsets: of the first record, and behind the last one
    that the piece covers. ``leader_epoch`` is that of the source's last batch in it (-1: unknown),
    ``last_ms`` the latest timestamp (-1: none), ``skipped`` counts records left out since they are
    too large, ``source_bytes`` what it took in the source's log. ``sequence`` is the outlet's.
    """

    __slots__ = (
        "count", "data", "first", "last_ms", "leader_epoch", "next_offset", "runs", "sequence",
        "skipped", "source_bytes",
    )  # fmt: skip

    def __init__(
        self,
        data: memoryview,
        runs: tuple[SourceRun, ...],
        next_offset: int,
        *,
        leader_epoch: int = NO_LEADER_EPOCH,
        last_ms: int = -1,
        skipped: int = 0,
        source_bytes: int = 0,
    ) -> None:
        self.data, self.runs, self.next_offset = data, runs, next_offset
        self.leader_epoch, self.last_ms, self.skipped = leader_epoch, last_ms, skipped
        self.source_bytes, self.sequence = source_bytes, -1
        self.first = runs[0].source_offset if runs else next_offset
        self.count = sum(run.length for run in runs) if len(runs) != 1 else runs[0].length


NOTHING: Final = memoryview(bytearray())


def stamp(
    data: memoryview, producer_id: int, producer_epoch: int, sequence: int, *, transactional: bool
) -> None:
    """Make the batch one of this producer, in place; may be done again with another sequence.

    Base offset 0, no leader epoch, of the attributes the codec alone stays, the CRC is made anew.
    The CRC that the batch came with must have been checked before: a damaged one gets a good one.
    """
    (attributes,) = _ATTRIBUTES.unpack_from(data, ATTRIBUTES_AT)
    kept = attributes & CODEC_MASK | (TRANSACTIONAL_FLAG if transactional else 0)
    _INT64.pack_into(data, 0, 0)
    _EPOCH.pack_into(data, EPOCH_AT, NO_LEADER_EPOCH)
    _ATTRIBUTES.pack_into(data, ATTRIBUTES_AT, kept)
    _PRODUCER.pack_into(data, PRODUCER_AT, producer_id, producer_epoch, sequence)
    _CRC.pack_into(data, CRC_AT, crc32c(data[CRC_START:]))
