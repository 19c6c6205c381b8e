"""ListTransactions (66): KIP-664.

Version 1 filters by duration (KIP-994), 2 by an expression (KIP-1152).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import INT16, INT32, INT64, STRING


@message(ApiKey.LIST_TRANSACTIONS)
class ListTransactionsRequest:
    """Filters; an empty one lets all pass, duration in ms (-1: any)."""

    state_filters: list[str] = wire([STRING])
    producer_id_filters: list[int] = wire([INT64])
    duration_filter: int = wire(INT64, "1+", default=-1)
    transactional_id_pattern: str | None = wire(STRING, "2+", nullable="2+", default=None)


@struct
class ListTransactionsResponseTransactionState:
    """One transaction of this coordinator."""

    transactional_id: str = wire(STRING)
    producer_id: int = wire(INT64)
    transaction_state: str = wire(STRING)


@message(ApiKey.LIST_TRANSACTIONS)
class ListTransactionsResponse:
    """The transactions that pass."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
    unknown_state_filters: list[str] = wire([STRING])
    transaction_states: list[ListTransactionsResponseTransactionState] = wire(
        [ListTransactionsResponseTransactionState]
    )
