"""Reading a partition of an internal topic into its shard.

Counterpart of ``GroupMetadataManager.doLoadGroupsAndOffsets`` and
``TransactionStateManager.loadTransactionMetadata``.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple

from pykafka_ops.broker.coordinators.slot import Slot
from pykafka_ops.broker.state.outcome import Shard
from pykafka_ops.broker.storage.replay import read_marker
from pykafka_ops.disk.batch import BatchHeader, scan, starts_at
from pykafka_ops.errors import CorruptError, KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.types import joined

log = logging.getLogger("kafka.coordinator.group.GroupMetadataManager")

SLICE_BYTES = 128 * 1024
"""Read and applied before clients get a turn: some ms of work."""
SLICE_KEYS = 1000


class Load(NamedTuple):
    """How many records were applied, and the end of what was read."""

    records: int
    end: int


async def load(
    slot: Slot[Any], run_in_thread: Callable[..., Coroutine[Any, Any, Any]], begin: int = -1
) -> Load:
    """Apply the log from offset ``begin`` (default: its start) to the shard of ``slot``.

    Ends early when the slot is closed. Raises KafkaError; a record that cannot be understood is
    logged and left out.
    """
    found = slot.partition.log
    offset, count = max(begin, found.log_start_offset), 0
    while offset < (end := found.log_end_offset) and not slot.closed:
        result = found.read(offset, SLICE_BYTES, up_to=end, cached_only=True)
        if result.cold is not None:
            data = await run_in_thread(result.cold.run)
        else:
            data = joined(result.parts)
        following, applied = _apply(slot.shard, data, offset, slot.name)
        count += applied
        if following <= offset:
            if result.size:
                raise KafkaError(ErrorCode.CORRUPT_MESSAGE, f"no whole batch at offset {offset}")
            following = end  # the rest was compacted away
        offset = following
        await asyncio.sleep(0)
    while not slot.closed and slot.shard.settle(SLICE_KEYS):
        await asyncio.sleep(0)
    return Load(count, offset)


def _apply(shard: Shard, data: bytes, offset: int, name: str) -> tuple[int, int]:
    """Apply the whole batches in ``data``; the offset after them, and how many records."""

    def left_out(offset: int, error: CorruptError) -> None:
        log.error("%s, offset %d is left out: %s", name, offset, error)

    count = position = 0
    while True:
        taken = shard.skim(data, position) if position or starts_at(data, offset) else None
        if taken is not None:
            position, offset, more = taken
            count += more
        found = next(scan(data, position), None)
        if found is None:
            return offset, count
        at, header = found
        position += header.size
        if header.next_offset <= offset:
            continue
        if header.is_control:
            _apply_marker(shard, data, at, header)
        else:
            count += shard.replay(data, at, header, left_out)
        offset = header.next_offset


def _apply_marker(shard: Shard, data: bytes, position: int, header: BatchHeader) -> None:
    marker = read_marker(data, position, header)
    if marker is not None:
        shard.apply_marker(header.producer_id, header.base_offset, committed=not marker.aborted)
