"""ListTransactions (66), v0-1: transactional ids this broker coordinates (KIP-664)."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.state.steps import Steps, begun, each
from pykafka_ops.broker.state.transactions.metadata import STATES, Transaction
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.list_transactions import (
    ListTransactionsRequest,
    ListTransactionsResponse,
    ListTransactionsResponseTransactionState,
)


def handle(context: Context, request: ListTransactionsRequest) -> Answer:
    """The ids that pass every filter; none while a partition is loading."""
    transactions = context.services.transactions
    if transactions.loading:
        return ListTransactionsResponse(error_code=ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)
    asked = request.state_filters
    states = frozenset(STATES[name] for name in asked if name in STATES) if asked else None
    producers = frozenset(request.producer_id_filters)
    found = transactions.matching(states, producers, request.duration_filter)
    return begun(_answer([name for name in asked if name not in STATES], list(found)))


def _answer(unknown: list[str], found: list[Transaction]) -> Steps[ListTransactionsResponse]:
    states = yield from each(_listed, found)
    return ListTransactionsResponse(unknown_state_filters=unknown, transaction_states=states)


def _listed(found: Transaction) -> ListTransactionsResponseTransactionState:
    return ListTransactionsResponseTransactionState(
        transactional_id=found.transactional_id,
        producer_id=found.producer_id,
        transaction_state=found.state.title,
    )
