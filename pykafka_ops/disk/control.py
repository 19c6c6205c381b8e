"""Control records: the markers that end a transaction (Kafka: ``EndTransactionMarker``).

Key: version int16, type int16. Value of a marker: version int16, coordinatorEpoch int32.
"""

from __future__ import annotations

from enum import IntEnum
from struct import Struct
from typing import NamedTuple

from pykafka_ops.disk.batch import NO_SEQUENCE
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import CorruptBatchError

_KEY = Struct(">hh")
_VALUE = Struct(">hi")


class ControlType(IntEnum):
    """``ControlRecordType``; those from 2 on occur in KRaft logs only."""

    ABORT = 0
    COMMIT = 1
    LEADER_CHANGE = 2
    SNAPSHOT_HEADER = 3
    SNAPSHOT_FOOTER = 4
    KRAFT_VERSION = 5
    KRAFT_VOTERS = 6
    UNKNOWN = -1


class EndTxnMarker(NamedTuple):
    """How a transaction ended, and the epoch of the coordinator that said so."""

    type: ControlType
    coordinator_epoch: int


def control_type_id(key: bytes | None) -> int:
    """The type id in a control record's key; CorruptBatchError when it has none."""
    if key is None or len(key) < 4:
        size = 0 if key is None else len(key)
        raise CorruptBatchError(
            f"Invalid value size found for end control record key. Must have at least 4 bytes, "
            f"but found only {size}"
        )
    version, type_id = _KEY.unpack_from(key)
    if version < 0:
        raise CorruptBatchError(f"Invalid version found for control record: {version}")
    return int(type_id)


def read_marker(record: Record) -> EndTxnMarker:
    """The transaction marker in ``record``; CorruptBatchError when it holds none."""
    kind = control_type_id(record.key)
    if kind not in (0, 1):
        raise CorruptBatchError(f"Invalid control record type for end transaction marker: {kind}")
    value = record.value
    if value is None or len(value) < _VALUE.size:
        raise CorruptBatchError(
            f"Invalid value size found for end transaction marker. Must have at least "
            f"{_VALUE.size} bytes, but found only {0 if value is None else len(value)}"
        )
    version, epoch = _VALUE.unpack_from(value)
    if version < 0:
        raise CorruptBatchError(
            f"Invalid version found for end transaction marker: {version}. May indicate data "
            "corruption"
        )
    return EndTxnMarker(ControlType(kind), epoch)


def build_marker(
    marker: EndTxnMarker,
    *,
    base_offset: int = 0,
    timestamp: int,
    producer_id: int,
    producer_epoch: int,
    leader_epoch: int = -1,
) -> bytearray:
    """The control batch that ends a producer's transaction; ``timestamp`` in ms."""
    key = _KEY.pack(0, marker.type)
    value = _VALUE.pack(0, marker.coordinator_epoch)
    return build_batch(
        [Record(base_offset, timestamp, key, value)],
        base_offset=base_offset,
        leader_epoch=leader_epoch,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        base_sequence=NO_SEQUENCE,
        transactional=True,
        control=True,
    )
