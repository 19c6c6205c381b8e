"""DescribeTransactions (65), v0: transactional ids this broker coordinates (KIP-664)."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.state.groups.commits import by_topic
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.messages.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    DescribeTransactionsResponseTransactionState,
    TopicData,
)

State = DescribeTransactionsResponseTransactionState


def handle(context: Context, request: DescribeTransactionsRequest) -> Answer:
    """Each id, or why it cannot be described."""
    states = []
    for transactional_id in request.transactional_ids:
        try:
            states.append(_describe(context, transactional_id))
        except KafkaError as error:
            states.append(State(transactional_id=transactional_id, error_code=error.code))
    return DescribeTransactionsResponse(transaction_states=states)


def _describe(context: Context, transactional_id: str) -> State:
    found = context.services.transactions.describe(transactional_id)
    return State(
        transactional_id=transactional_id,
        transaction_state=found.state.title,
        transaction_timeout_ms=found.timeout_ms,
        transaction_start_time_ms=found.started,
        producer_id=found.producer_id,
        producer_epoch=found.epoch,
        topics=[
            TopicData(topic=topic, partitions=indexes)
            for topic, indexes in by_topic(sorted(found.partitions)).items()
        ],
    )
