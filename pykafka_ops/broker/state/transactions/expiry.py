"""Transactional ids that nobody has used for long are forgotten. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from pykafka_ops.broker.state.outcome import Instant, Outcome
from pykafka_ops.broker.state.transactions.metadata import Transaction
from pykafka_ops.wire.codes import ErrorCode

TOMBSTONES = 500
"""Ids that expire in one batch."""
SPARED_MS = 3_600_000
"""Ids that were idle for less are kept, though there is no memory for others."""


def idle_for(transactions: Mapping[str, Transaction], ms: int, now: int) -> list[Transaction]:
    """Ids without an open transaction that were idle for so long: the first ``TOMBSTONES``."""
    idle = (found for found in transactions.values() if found.expired(now, ms))
    return list(islice(idle, TOMBSTONES))


def forget(old: Sequence[Transaction]) -> Outcome | None:
    """Write that the ids are gone; one that is used then has INVALID_PRODUCER_ID_MAPPING."""

    def written(code: ErrorCode, now: Instant) -> None:
        if code is not ErrorCode.NONE:
            for found in old:
                take_back(found, code)

    return Outcome([found.die() for found in old], then=written) if old else None


def take_back(found: Transaction, code: ErrorCode) -> None:
    """A write failed. One that only took too long is in the log and still comes to pass."""
    if code is not ErrorCode.REQUEST_TIMED_OUT:
        found.pending = None
