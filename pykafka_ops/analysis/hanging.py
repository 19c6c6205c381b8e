"""Which open transactions hang: open in a partition, but their coordinator does not know it.

Source: TransactionsCommand.FindHangingTransactionsCommand (KIP-664).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

Partition = tuple[str, int]


class Open(NamedTuple):
    """A transaction that a partition holds open; ``last_timestamp`` in ms."""

    partition: Partition
    producer_id: int
    producer_epoch: int
    coordinator_epoch: int
    start: int
    last_timestamp: int


def old_enough(found: Iterable[Open], now: int, timeout_ms: int) -> list[Open]:
    """The candidates: producers silent for longer than any transaction may take."""
    return [t for t in found if now - t.last_timestamp > timeout_ms]


def hanging(
    candidates: Iterable[Open],
    ids: Mapping[int, str],
    partitions: Mapping[str, Collection[Partition]],
) -> list[Open]:
    """Candidates whose producer has no transactional id (``ids``), or whose coordinator does not
    count the partition (``partitions`` by transactional id) into the transaction under way."""
    return [
        t
        for t in candidates
        if t.producer_id not in ids or t.partition not in partitions.get(ids[t.producer_id], ())
    ]
