"""A guest who comes from an address of its own, and rules that shut him out."""

from __future__ import annotations

from typing import Any, Final

from pykafka_ops.security.acls.rules import (
    ANYBODY,
    Operation,
    PatternType,
    Permission,
    ResourceType,
)
from pykafka_ops.wire.messages.create_acls import AclCreation, CreateAclsRequest
from pykafka_ops.wire.messages.delete_acls import DeleteAclsFilter, DeleteAclsRequest
from pykafka_ops.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from pykafka_ops.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from tests.support.differential.two_brokers import Link
from tests.support.wire.raw import batch

GUEST: Final = "127.0.0.9"
REFUSED: Final = 29


def forbid(topic: str, pattern: PatternType = PatternType.LITERAL) -> CreateAclsRequest:
    """The guest may do nothing with the topic; nor may others, about whom no rule is."""
    return CreateAclsRequest(creations=[_rule(topic, pattern, GUEST, Permission.DENY)])


def only_others(topic: str) -> CreateAclsRequest:
    """The guest may do nothing with the topic, others may do everything."""
    literal = PatternType.LITERAL
    others = _rule(topic, literal, "*", Permission.ALLOW)
    return CreateAclsRequest(creations=[_rule(topic, literal, GUEST, Permission.DENY), others])


def _rule(topic: str, pattern: PatternType, host: str, permission: Permission) -> AclCreation:
    return AclCreation(
        resource_type=ResourceType.TOPIC,
        resource_name=topic,
        resource_pattern_type=pattern,
        principal=ANYBODY,
        host=host,
        operation=Operation.ALL,
        permission_type=permission,
    )


def allow_again(topic: str) -> DeleteAclsRequest:
    """Delete the rules about the topic."""
    return DeleteAclsRequest(
        filters=[
            DeleteAclsFilter(
                resource_type_filter=ResourceType.TOPIC,
                resource_name_filter=topic,
                pattern_type_filter=PatternType.ANY,
                principal_filter=None,
                host_filter=None,
                operation=Operation.ANY,
                permission_type=Permission.ANY,
            )
        ]
    )


def produce(topic: str) -> ProduceRequest:
    """One record for partition 0."""
    data = [PartitionProduceData(index=0, records=batch())]
    return ProduceRequest(
        acks=-1,
        timeout_ms=10_000,
        topic_data=[TopicProduceData(name=topic, partition_data=data)],
    )


def ask(address: str, request: Any, version: int, host: str = "") -> Any:
    """The answer on a connection of its own."""
    link = Link(address, source=host)
    try:
        return link.ask(request, version)
    finally:
        link.close()


def about(topic: str) -> MetadataRequest:
    """A question about the topic, which creates nothing."""
    return MetadataRequest(
        topics=[MetadataRequestTopic(name=topic)], allow_auto_topic_creation=False
    )


def guest_code(address: str, topic: str) -> int:
    """What the guest hears who asks about a topic."""
    return int(ask(address, about(topic), 9, GUEST).topics[0].error_code)
