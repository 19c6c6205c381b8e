"""ListTransactions: the transactional ids that the client may describe."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.rights.checks import Served, after, without_hidden
from pykafka_ops.broker.state.steps import begun
from pykafka_ops.security.acls.rules import ResourceType
from pykafka_ops.wire.messages.list_transactions import ListTransactionsRequest


def guard(context: Context, request: ListTransactionsRequest, served: Served) -> Answer:
    """The handler's answer without the others."""
    about = ("transaction_states", ResourceType.TRANSACTIONAL_ID, "transactional_id")
    answer = served.handle(context, request)
    return after(answer, lambda found: begun(without_hidden(context, found, *about)))
