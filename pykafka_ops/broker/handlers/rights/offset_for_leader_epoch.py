"""OffsetForLeaderEpoch: for brokers, and for clients that may describe the topic."""

from __future__ import annotations

from typing import Final

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.rights.checks import Each, Served
from pykafka_ops.security.acls.rules import CLUSTER_NAME, Operation, ResourceType
from pykafka_ops.wire.messages.offset_for_leader_epoch import OffsetForLeaderEpochRequest

_TOPICS: Final = Each(Operation.DESCRIBE, ResourceType.TOPIC, "topics", "topic")


def guard(context: Context, request: OffsetForLeaderEpochRequest, served: Served) -> Answer:
    """TOPIC_AUTHORIZATION_FAILED for the others."""
    if context.may(Operation.CLUSTER_ACTION, ResourceType.CLUSTER, CLUSTER_NAME, quiet=True):
        return served.handle(context, request)
    return _TOPICS.answer(context, request, served)
