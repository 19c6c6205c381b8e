"""DescribeTransactions: the transactional ids that the client may describe, with the topics that
it may describe."""

from __future__ import annotations

from typing import Final

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.rights.checks import Each, Served, after, refused
from pykafka_ops.security.acls.rules import Operation, ResourceType
from pykafka_ops.wire.messages.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
)

_IDS: Final = Each(
    Operation.DESCRIBE,
    ResourceType.TRANSACTIONAL_ID,
    "transactional_ids",
    answered="transactional_id",
)


def guard(context: Context, request: DescribeTransactionsRequest, served: Served) -> Answer:
    """TRANSACTIONAL_ID_AUTHORIZATION_FAILED for the others."""
    answer = _IDS.answer(context, request, served)
    return after(answer, lambda found: _without_hidden(context, found))


def _without_hidden(
    context: Context, answer: DescribeTransactionsResponse
) -> DescribeTransactionsResponse:
    for state in answer.transaction_states:
        names = [topic.topic for topic in state.topics]
        hidden = refused(context, Operation.DESCRIBE, ResourceType.TOPIC, names)
        state.topics = [topic for topic in state.topics if topic.topic not in hidden]
    return answer
