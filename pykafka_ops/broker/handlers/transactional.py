"""What the handlers of transactional requests share."""

from __future__ import annotations

from collections.abc import Callable

from pykafka_ops.broker.state.deferred import Deferred
from pykafka_ops.broker.state.transactions.metadata import Transit
from pykafka_ops.broker.state.transactions.shard import Reply
from pykafka_ops.wire.codes import ErrorCode

Shape = Callable[[ErrorCode, "Transit | None"], object]


def reply_with(shape: Shape) -> Reply:
    """Where a coordinator's result goes; ``shape`` makes the answer of it."""
    return Reply(Deferred(), shape)


def answer_of(reply: Reply) -> object:
    """The answer, or the promise of it."""
    return reply.deferred.answer if reply.deferred.done else reply.deferred


def for_version(code: ErrorCode, version: int, knows_fenced: int) -> ErrorCode:
    """INVALID_PRODUCER_EPOCH instead of PRODUCER_FENCED for versions before ``knows_fenced``
    (KIP-588)."""
    if code is ErrorCode.PRODUCER_FENCED and version < knows_fenced:
        return ErrorCode.INVALID_PRODUCER_EPOCH
    return code
