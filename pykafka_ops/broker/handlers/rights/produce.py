"""Produce: to topics that the client may write, in a transaction whose id it may write."""

from __future__ import annotations

from typing import Final

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.rights.checks import Each, Served
from pykafka_ops.broker.partitions.records import is_transactional
from pykafka_ops.errors import KafkaError
from pykafka_ops.security.acls.rules import Operation, ResourceType
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.produce import ProduceRequest

TOPICS: Final = Each(Operation.WRITE, ResourceType.TOPIC, "topic_data", "name")
"""The right that each topic needs."""


def guard(context: Context, request: ProduceRequest, served: Served) -> Answer:
    """An error for the others; where no answer is asked for (acks=0), the connection closes."""
    refused = not _may_transact(context, request)
    code = ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    answer = (
        served.failed(request, context.version, KafkaError(code))
        if refused
        else TOPICS.answer(context, request, served)
    )
    if not request.acks and (refused or not _may_write_all(context, request)):
        context.close_connection = True
    return answer


def allows_all(context: Context, request: ProduceRequest) -> bool:
    """Whether the client has all rights that requests like this one need; nothing is logged."""
    id_, write = request.transactional_id, Operation.WRITE
    if id_ is not None and not context.may(write, ResourceType.TRANSACTIONAL_ID, id_, quiet=True):
        return False
    return _may_write_all(context, request)


def _may_transact(context: Context, request: ProduceRequest) -> bool:
    if not any(
        data.records and is_transactional(data.records)
        for topic in request.topic_data
        for data in topic.partition_data
    ):
        return True
    id_ = request.transactional_id
    return id_ is not None and context.may(Operation.WRITE, ResourceType.TRANSACTIONAL_ID, id_)


def _may_write_all(context: Context, request: ProduceRequest) -> bool:
    may = context.may
    return all(
        may(Operation.WRITE, ResourceType.TOPIC, topic.name, quiet=True)
        for topic in request.topic_data
    )
