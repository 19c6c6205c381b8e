"""ConsumerGroupHeartbeat: of groups that the client may read, with topics that it may describe."""

from __future__ import annotations

from typing import Final

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.rights.checks import Need, Served, refused
from pykafka_ops.errors import KafkaError
from pykafka_ops.security.acls.rules import Operation, ResourceType
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest

_GROUP: Final = Need(Operation.READ, ResourceType.GROUP, "group_id")


def guard(context: Context, request: ConsumerGroupHeartbeatRequest, served: Served) -> Answer:
    """An error for the whole request otherwise; topics that an expression matches are checked when
    it is resolved. Where such groups are not served, everybody hears that."""
    if context.services.groups.protocols is None:
        return served.handle(context, request)
    _GROUP.require(context, request)
    names = dict.fromkeys(request.subscribed_topic_names or ())
    if names and refused(context, Operation.DESCRIBE, ResourceType.TOPIC, list(names)):
        raise KafkaError(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    return served.handle(context, request)
