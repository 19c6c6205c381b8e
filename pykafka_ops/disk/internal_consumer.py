"""Types 3 to 8 of ``__consumer_offsets``: groups of the consumer protocol (KIP-848).

A ZooKeeper-mode broker writes none of them; they are read so that logs of others can be shown.
"""

from __future__ import annotations

from pykafka_ops.disk.schema import RecordStruct, kept, table


@table()
class GroupIdKey(RecordStruct):
    """Types 3, 4 and 6: something of a group."""

    group_id: str = kept("string")


@table()
class MemberIdKey(RecordStruct):
    """Types 5, 7 and 8: something of a member."""

    group_id: str = kept("string")
    member_id: str = kept("string")


@table(flexible=0)
class ConsumerGroupMetadataValue(RecordStruct):
    """Type 3: the group epoch."""

    epoch: int = kept("int32")


@table(flexible=0)
class PartitionMetadata(RecordStruct):
    """Racks of one partition."""

    partition: int = kept("int32")
    racks: list[str] = kept("string", many=True)


@table(flexible=0)
class TopicMetadata(RecordStruct):
    """A topic the group subscribes to."""

    topic_id: bytes = kept("uuid")
    topic_name: str = kept("string")
    num_partitions: int = kept("int32")
    partition_metadata: list[PartitionMetadata] = kept(PartitionMetadata, many=True)


@table(flexible=0)
class ConsumerGroupPartitionMetadataValue(RecordStruct):
    """Type 4: subscribed topics."""

    topics: list[TopicMetadata] = kept(TopicMetadata, many=True)


@table(flexible=0)
class ClassicProtocol(RecordStruct):
    """A protocol of a member that still speaks the classic one."""

    name: str = kept("string")
    metadata: bytes = kept("bytes")


@table(flexible=0)
class ClassicMemberMetadata(RecordStruct):
    """Of a member that still speaks the classic protocol; timeout ms."""

    session_timeout_ms: int = kept("int32")
    supported_protocols: list[ClassicProtocol] = kept(ClassicProtocol, many=True)


@table(flexible=0)
class ConsumerGroupMemberMetadataValue(RecordStruct):
    """Type 5: a member."""

    instance_id: str | None = kept("string", nullable=0)
    rack_id: str | None = kept("string", nullable=0)
    client_id: str = kept("string")
    client_host: str = kept("string")
    subscribed_topic_names: list[str] = kept("string", many=True)
    subscribed_topic_regex: str | None = kept("string", nullable=0)
    rebalance_timeout_ms: int = kept("int32", default=-1)
    server_assignor: str | None = kept("string", nullable=0)
    classic_member_metadata: ClassicMemberMetadata | None = kept(
        ClassicMemberMetadata, nullable=0, tag=0, default=None
    )


@table(flexible=0)
class ConsumerGroupTargetAssignmentMetadataValue(RecordStruct):
    """Type 6: the epoch of the target assignment."""

    assignment_epoch: int = kept("int32")


@table(flexible=0)
class TopicIdPartitions(RecordStruct):
    """Partitions of one topic by its id."""

    topic_id: bytes = kept("uuid")
    partitions: list[int] = kept("int32", many=True)


@table(flexible=0)
class ConsumerGroupTargetAssignmentMemberValue(RecordStruct):
    """Type 7: the assignment a member is moving to."""

    topic_partitions: list[TopicIdPartitions] = kept(TopicIdPartitions, many=True)


@table(flexible=0)
class ConsumerGroupCurrentMemberAssignmentValue(RecordStruct):
    """Type 8: what a member has."""

    member_epoch: int = kept("int32")
    previous_member_epoch: int = kept("int32")
    state: int = kept("int8")
    assigned_partitions: list[TopicIdPartitions] = kept(TopicIdPartitions, many=True)
    partitions_pending_revocation: list[TopicIdPartitions] = kept(TopicIdPartitions, many=True)


TYPES: dict[int, tuple[type[RecordStruct], type[RecordStruct]]] = {
    3: (GroupIdKey, ConsumerGroupMetadataValue),
    4: (GroupIdKey, ConsumerGroupPartitionMetadataValue),
    5: (MemberIdKey, ConsumerGroupMemberMetadataValue),
    6: (GroupIdKey, ConsumerGroupTargetAssignmentMetadataValue),
    7: (MemberIdKey, ConsumerGroupTargetAssignmentMemberValue),
    8: (MemberIdKey, ConsumerGroupCurrentMemberAssignmentValue),
}
