"""ConsumerGroupHeartbeat (68), v0-1: members of consumer groups live, and hear what is theirs.

Only where ``group.coordinator.rebalance.protocols`` has ``consumer``; a classic coordinator
announces v0 and answers UNSUPPORTED_VERSION.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.consumer_group_heartbeat import (
    Assignment,
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    TopicPartitions,
)

if TYPE_CHECKING:  # most brokers serve none
    from pykafka_ops.broker.state.groups.consumer.answers import Beaten


def handle(context: Context, request: ConsumerGroupHeartbeatRequest) -> Answer:
    """The member's epoch, and its assignment where that is new.

    Raises KafkaError UNSUPPORTED_VERSION, INVALID_REQUEST, UNSUPPORTED_ASSIGNOR, INVALID_GROUP_ID,
    NOT_COORDINATOR or COORDINATOR_LOAD_IN_PROGRESS.
    """
    groups = context.services.groups
    if groups.protocols is None:
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
    from pykafka_ops.broker.state.groups.consumer.answers import Beat

    owned = request.topic_partitions
    beat = Beat(
        request.group_id,
        request.member_id,
        request.member_epoch,
        request.instance_id,
        request.rack_id,
        request.rebalance_timeout_ms,
        request.subscribed_topic_names,
        request.subscribed_topic_regex,
        request.server_assignor,
        None if owned is None else {each.topic_id: each.partitions for each in owned},
        context.client_id or "",
        f"/{context.client_host}",
        _sees(context),
    )
    return groups.beat(beat, context.version).shaped(_response)


def _sees(context: Context) -> Callable[[str], bool] | None:
    """Which topics an expression may match, None: all."""
    if context.services.authorizer is None:
        return None
    from pykafka_ops.security.acls.rules import Operation, ResourceType

    return lambda name: context.may(Operation.DESCRIBE, ResourceType.TOPIC, name, quiet=True)


def _response(beaten: Beaten) -> ConsumerGroupHeartbeatResponse:
    assignment = None
    if beaten.assignment is not None:
        assignment = Assignment(
            topic_partitions=[
                TopicPartitions(topic_id=topic_id, partitions=sorted(indexes))
                for topic_id, indexes in beaten.assignment.items()
            ]
        )
    return ConsumerGroupHeartbeatResponse(
        error_code=beaten.code,
        error_message=beaten.message,
        member_id=beaten.member_id,
        member_epoch=beaten.epoch,
        heartbeat_interval_ms=beaten.interval,
        assignment=assignment,
    )
