"""The sequence of an idempotent producer: whether a batch is its next, and that it was written.

What is unusual is left to ``state.producers``: a newcomer, a new epoch, a batch that was sent
before, the first of a transaction, transactions that wait for their coordinator.
"""

from __future__ import annotations

import pykafka_ops.broker.hot.raw as at
from pykafka_ops.broker.hot.heads import ProducerHead, ProducersHead


def in_sequence(
    producers: ProducersHead, producer_id: int, epoch: int, sequence: int, transactional: bool
) -> bool:
    """Quick yes for the usual batch: same epoch, next sequence, in the transaction if any."""
    state: ProducerHead | None = producers.states.get(producer_id)
    if state is None or state.epoch != epoch or (state.txn_first_offset >= 0) != transactional:
        return False
    batches = state.batches
    return bool(batches) and batches[-1][0] + 1 == sequence and not producers.verifications


def note(
    producers: ProducersHead,
    producer_id: int,
    last_sequence: int,
    last_offset: int,
    delta: int,
    timestamp: int,
) -> None:
    """The batch that is :func:`in_sequence` stands in the log; ``last_sequence`` may have run over,
    ``delta`` is that of its last offset."""
    state: ProducerHead = producers.states[producer_id]
    batches = state.batches
    if len(batches) == at.WINDOW:
        del batches[0]
    batches.append((last_sequence & at.MAX_SEQUENCE, last_offset, delta, timestamp))
    state.last_timestamp = timestamp
