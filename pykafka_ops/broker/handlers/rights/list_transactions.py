"""ListTransactions: the transactional ids that the client may describe."""

from __future__ import annotations

from functools import partial

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.rights.checks import Served, after
from pykafka_ops.broker.state.steps import Steps, begun, each
from pykafka_ops.security.acls.rules import Operation, ResourceType
from pykafka_ops.wire.messages.list_transactions import (
    ListTransactionsRequest,
    ListTransactionsResponse,
    ListTransactionsResponseTransactionState,
)

Listed = ListTransactionsResponseTransactionState


def guard(context: Context, request: ListTransactionsRequest, served: Served) -> Answer:
    """The handler's answer without the others."""
    return after(served.handle(context, request), lambda found: begun(_shown(context, found)))


def _shown(context: Context, answer: ListTransactionsResponse) -> Steps[ListTransactionsResponse]:
    may = partial(context.may, Operation.DESCRIBE, ResourceType.TRANSACTIONAL_ID, quiet=True)

    def one(state: Listed) -> Listed | None:
        return state if may(state.transactional_id) else None

    found = yield from each(one, answer.transaction_states)
    answer.transaction_states = [state for state in found if state is not None]
    return answer
