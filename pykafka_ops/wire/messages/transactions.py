"""DescribeTransactions (65) and ListTransactions (66): KIP-664.

ListTransactions version 1 filters by duration (KIP-994).
"""

from __future__ import annotations

from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import INT16, INT32, INT64, STRING


@message(api=65, kind="request", versions="0", flexible="0+")
class DescribeTransactionsRequest:
    """Transactional ids to describe."""

    transactional_ids: list[str] = wire([STRING])


@struct
class TopicData:
    """Partitions of one topic in the open transaction."""

    topic: str = wire(STRING)
    partitions: list[int] = wire([INT32])


@struct
class DescribeTransactionsResponseTransactionState:
    """One transaction; start time -1: none is open."""

    error_code: int = wire(INT16)
    transactional_id: str = wire(STRING)
    transaction_state: str = wire(STRING)
    transaction_timeout_ms: int = wire(INT32)
    transaction_start_time_ms: int = wire(INT64)
    producer_id: int = wire(INT64)
    producer_epoch: int = wire(INT16)
    topics: list[TopicData] = wire([TopicData])


@message(api=65, kind="response", versions="0", flexible="0+")
class DescribeTransactionsResponse:
    """Each transaction asked for."""

    throttle_time_ms: int = wire(INT32)
    transaction_states: list[DescribeTransactionsResponseTransactionState] = wire(
        [DescribeTransactionsResponseTransactionState]
    )


@message(api=66, kind="request", versions="0-1", flexible="0+")
class ListTransactionsRequest:
    """Filters; an empty one lets all pass, duration in ms (-1: any)."""

    state_filters: list[str] = wire([STRING])
    producer_id_filters: list[int] = wire([INT64])
    duration_filter: int = wire(INT64, "1+", default=-1)


@struct
class ListTransactionsResponseTransactionState:
    """One transaction of this coordinator."""

    transactional_id: str = wire(STRING)
    producer_id: int = wire(INT64)
    transaction_state: str = wire(STRING)


@message(api=66, kind="response", versions="0-1", flexible="0+")
class ListTransactionsResponse:
    """The transactions that pass."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
    unknown_state_filters: list[str] = wire([STRING])
    transaction_states: list[ListTransactionsResponseTransactionState] = wire(
        [ListTransactionsResponseTransactionState]
    )
