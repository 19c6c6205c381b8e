"""Who asks the coordinator of transactions, and where the result goes.

All that a broker without transactions knows of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.state.outcome import Outcome
from pykafka_ops.disk.batch import NO_PRODUCER_EPOCH, NO_PRODUCER_ID
from pykafka_ops.wire.codes import ErrorCode

if TYPE_CHECKING:
    from pykafka_ops.broker.state.transactions.metadata import Transit


class Identity(NamedTuple):
    """The producer that asks, as it names itself."""

    transactional_id: str
    producer_id: int = NO_PRODUCER_ID
    epoch: int = NO_PRODUCER_EPOCH


class Reply(NamedTuple):
    """Where the result goes; ``shape(code, move)`` makes the answer of it."""

    deferred: Deferred
    shape: Callable[[ErrorCode, Transit | None], object]

    def of(self, code: ErrorCode, move: Transit | None = None) -> Outcome:
        """Give the answer."""
        return Outcome(replies=[(self.deferred, self.shape(code, move))])
