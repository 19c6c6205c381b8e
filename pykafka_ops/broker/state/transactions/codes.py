"""The error codes for transactional clients."""

from __future__ import annotations

from pykafka_ops.broker.state.transactions.metadata import TxnState
from pykafka_ops.wire.codes import ErrorCode

UNAVAILABLE = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        ErrorCode.REQUEST_TIMED_OUT,
    }
)
MOVED = frozenset({ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.KAFKA_STORAGE_ERROR})
TOO_LARGE = frozenset({ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.RECORD_LIST_TOO_LARGE})


def append_error(code: ErrorCode) -> ErrorCode:
    """The error for a client when the coordinator's own append failed."""
    if code in UNAVAILABLE:
        return ErrorCode.COORDINATOR_NOT_AVAILABLE
    if code in MOVED:
        return ErrorCode.NOT_COORDINATOR
    return ErrorCode.UNKNOWN_SERVER_ERROR if code in TOO_LARGE else code


def ended_before(state: TxnState, *, committed: bool) -> ErrorCode:
    """The answer to EndTxn where no transaction is open."""
    done = TxnState.COMPLETE_COMMIT if committed else TxnState.COMPLETE_ABORT
    decided = TxnState.PREPARE_COMMIT if committed else TxnState.PREPARE_ABORT
    if state is done:
        return ErrorCode.NONE  # asked again: the answer was lost
    if state is decided:
        return ErrorCode.CONCURRENT_TRANSACTIONS
    return ErrorCode.INVALID_TXN_STATE
