"""What a coordinator answers its clients when its own append failed."""

from __future__ import annotations

from pykafka_ops.wire.codes import ErrorCode

_TRY_LATER = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        ErrorCode.REQUEST_TIMED_OUT,
    }
)
_MOVED = frozenset({ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.KAFKA_STORAGE_ERROR})
_TOO_LARGE = frozenset({ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.RECORD_LIST_TOO_LARGE})


def _for_client(code: ErrorCode, too_large: ErrorCode) -> ErrorCode:
    if code in _TRY_LATER:
        return ErrorCode.COORDINATOR_NOT_AVAILABLE
    if code in _MOVED:
        return ErrorCode.NOT_COORDINATOR
    return too_large if code in _TOO_LARGE else code


def transaction_code(code: ErrorCode) -> ErrorCode:
    """The error when a transaction's state could not be written."""
    return _for_client(code, ErrorCode.UNKNOWN_SERVER_ERROR)


def commit_code(code: ErrorCode) -> ErrorCode:
    """The error for a commit of offsets (``storeOffsets``)."""
    return _for_client(code, ErrorCode.INVALID_COMMIT_OFFSET_SIZE)


def group_code(code: ErrorCode) -> ErrorCode:
    """The error for members when their group could not be written (``storeGroup``)."""
    if code is ErrorCode.REQUEST_TIMED_OUT:
        return ErrorCode.REBALANCE_IN_PROGRESS
    return _for_client(code, ErrorCode.UNKNOWN_SERVER_ERROR)
