"""A follower's log: append what the leader sent, truncate what the leader lacks.

Counterpart of ``ReplicaFetcherThread.processPartitionData`` and ``truncate``.
"""

from __future__ import annotations

import logging
from struct import Struct

from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.state.replication.fetching import FollowState, Restart, Truncation
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.disk.batch import LOG_OVERHEAD
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

log = logging.getLogger("kafka.server.ReplicaFetcherThread")

_BASE_OFFSET = Struct(">q")


def begin(partition: Partition) -> FollowState:
    """Where to fetch from: the log's end, or the high watermark if the log knows no epochs.

    Raises KafkaError KAFKA_STORAGE_ERROR.
    """
    records = partition.log
    epoch = records.latest_epoch
    return FollowState(
        partition.key,
        partition.topic_id,
        partition.leader_epoch,
        offset=records.log_end_offset if epoch >= 0 else records.high_watermark,
        last_epoch=epoch,
    )


def replicate(
    partition: Partition,
    state: FollowState,
    records: memoryview,
    *,
    high_watermark: int,
    log_start: int,
) -> bool:
    """Append what the leader gave and take over its ``high_watermark`` and ``log_start``.

    Whether the high watermark moved: it is the leader's, as far as this log reaches, and never
    goes back but by truncation. ``state`` moves on. Raises KafkaError as
    ``Log.append_as_follower``, and UNKNOWN_SERVER_ERROR if the log does not end where it was read.
    """
    local = partition.log
    if state.offset != local.log_end_offset:
        raise KafkaError(
            ErrorCode.UNKNOWN_SERVER_ERROR,
            f"Offset mismatch for partition {local.place.name}: fetched offset = {state.offset}, "
            f"log end offset = {local.log_end_offset}.",
        )
    if len(records):
        _append(local, records)
        partition.copied(len(records))
    if len(records) or state.lag < 0:
        last_epoch = local.latest_epoch
        state.appended(local.log_end_offset, last_epoch, high_watermark)
    before = local.high_watermark
    if high_watermark > before:
        local.raise_high_watermark(high_watermark)
    if log_start > local.log_start_offset:
        local.raise_log_start(min(log_start, local.log_end_offset))
    return local.high_watermark > before


def _append(local: Log, records: memoryview) -> None:
    """An empty log that starts inside the leader's first batch begins at that batch instead: the
    leader's records before it were deleted, but the batch is still there."""
    end = local.log_end_offset
    if end == local.log_start_offset and len(records) >= LOG_OVERHEAD:
        first = _BASE_OFFSET.unpack_from(records)[0]
        if 0 <= first < end:
            local.truncate_fully(first)
            local.append_as_follower(records)
            local.raise_log_start(min(end, local.log_end_offset))
            return
    local.append_as_follower(records)


def truncate(partition: Partition, state: FollowState, cut: Truncation) -> None:
    """Cut the log. Raises KafkaError KAFKA_STORAGE_ERROR."""
    local = partition.log
    committed = local.high_watermark
    if cut.offset < committed:
        log.warning(
            "%s is cut at offset %d, below its high watermark %d",
            local.place.name,
            cut.offset,
            committed,
        )
    if local.truncate_to(cut.offset):
        log.info("%s ends at offset %d now", local.place.name, cut.offset)
    state.truncated(cut, local.latest_epoch)


def restart(partition: Partition, state: FollowState, at: Restart) -> None:
    """Go on from the leader's start if the log has fallen behind it. Raises KafkaError."""
    local = partition.log
    if at.empty:
        log.warning(
            "%s: dropping what is below the leader's start offset %d", local.place.name, at.offset
        )
        local.truncate_fully(at.offset)
    state.truncated(Truncation(at.offset, complete=True), local.latest_epoch)
