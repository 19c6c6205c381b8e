"""DescribeTransactions (65): KIP-664."""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.shared import TopicIndexes
from pykafka_ops.wire.types import INT16, INT32, INT64, STRING

TopicData = TopicIndexes


@message(ApiKey.DESCRIBE_TRANSACTIONS)
class DescribeTransactionsRequest:
    """Transactional ids to describe."""

    transactional_ids: list[str] = wire([STRING])


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


@message(ApiKey.DESCRIBE_TRANSACTIONS)
class DescribeTransactionsResponse:
    """Each transaction asked for."""

    throttle_time_ms: int = wire(INT32)
    transaction_states: list[DescribeTransactionsResponseTransactionState] = wire(
        [DescribeTransactionsResponseTransactionState]
    )
