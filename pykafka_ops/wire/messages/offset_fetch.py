"""OffsetFetch (9): read the offsets of groups.

Version 2 can ask for all partitions (null) and has an error for the group, 7 can insist on offsets
no open transaction may change (KIP-447), 8 asks for several groups (KIP-709), 9 adds member and
epoch (KIP-848).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.shared import NamedIndexes
from pykafka_ops.wire.types import BOOL, INT16, INT32, INT64, STRING

OffsetFetchRequestTopic = NamedIndexes


@struct
class OffsetFetchRequestGroup:
    """One group; null topics mean all of them."""

    group_id: str = wire(STRING, "8+")
    member_id: str | None = wire(STRING, "9+", nullable="9+", default=None, ignorable=True)
    member_epoch: int = wire(INT32, "9+", default=-1, ignorable=True)
    topics: list[OffsetFetchRequestTopic] | None = wire(
        [OffsetFetchRequestTopic], "8+", nullable="8+"
    )


@message(ApiKey.OFFSET_FETCH)
class OffsetFetchRequest:
    """``group_id`` and ``topics`` to version 7, ``groups`` from 8."""

    group_id: str = wire(STRING, "0-7")
    topics: list[OffsetFetchRequestTopic] | None = wire(
        [OffsetFetchRequestTopic], "0-7", nullable="2-7"
    )
    groups: list[OffsetFetchRequestGroup] = wire([OffsetFetchRequestGroup], "8+")
    require_stable: bool = wire(BOOL, "7+")


@struct
class OffsetFetchResponsePartition:
    """The offset of one partition, -1 when there is none."""

    partition_index: int = wire(INT32)
    committed_offset: int = wire(INT64)
    committed_leader_epoch: int = wire(INT32, "5+", default=-1, ignorable=True)
    metadata: str | None = wire(STRING, nullable="0+")
    error_code: int = wire(INT16)


@struct
class OffsetFetchResponseTopic:
    """The partitions of one topic."""

    name: str = wire(STRING)
    partitions: list[OffsetFetchResponsePartition] = wire([OffsetFetchResponsePartition])


@struct
class OffsetFetchResponseGroup:
    """The offsets of one group, or the error for it."""

    group_id: str = wire(STRING, "8+")
    topics: list[OffsetFetchResponseTopic] = wire([OffsetFetchResponseTopic], "8+")
    error_code: int = wire(INT16, "8+")


@message(ApiKey.OFFSET_FETCH)
class OffsetFetchResponse:
    """``topics`` and ``error_code`` to version 7, ``groups`` from 8."""

    throttle_time_ms: int = wire(INT32, "3+", ignorable=True)
    topics: list[OffsetFetchResponseTopic] = wire([OffsetFetchResponseTopic], "0-7")
    error_code: int = wire(INT16, "2-7", ignorable=True)
    groups: list[OffsetFetchResponseGroup] = wire([OffsetFetchResponseGroup], "8+")
