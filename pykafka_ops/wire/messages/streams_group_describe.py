"""StreamsGroupDescribe (89): topology, members and tasks of streams groups (KIP-1071).

Version 1 tells of every node of the topology, where asked for (KIP-1331), and the assignor.
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import BOOL, INT8, INT16, INT32, INT64, STRING, UINT16


@message(ApiKey.STREAMS_GROUP_DESCRIBE)
class StreamsGroupDescribeRequest:
    """Groups to describe."""

    group_ids: list[str] = wire([STRING])
    include_authorized_operations: bool = wire(BOOL)
    include_topology_description: bool = wire(BOOL, "1+")


@struct
class KeyValue:
    """A setting or a tag."""

    key: str = wire(STRING)
    value: str = wire(STRING)


@struct
class TopicInfo:
    """An internal topic; 0 partitions: not fixed, replication factor 0: the default."""

    name: str = wire(STRING)
    partitions: int = wire(INT32)
    replication_factor: int = wire(INT16)
    topic_configs: list[KeyValue] = wire([KeyValue])


@struct
class Subtopology:
    """A part of the topology: where it reads, what it keeps."""

    subtopology_id: str = wire(STRING)
    source_topics: list[str] = wire([STRING])
    repartition_sink_topics: list[str] = wire([STRING])
    state_changelog_topics: list[TopicInfo] = wire([TopicInfo])
    repartition_source_topics: list[TopicInfo] = wire([TopicInfo])


@struct
class Topology:
    """What the application does; null subtopologies: its topics are not all there."""

    epoch: int = wire(INT32)
    subtopologies: list[Subtopology] | None = wire([Subtopology], nullable="0+", default=None)


@struct
class Endpoint:
    """Where a process answers interactive queries."""

    host: str = wire(STRING)
    port: int = wire(UINT16)


@struct
class TaskOffset:
    """How far a task has restored its state."""

    subtopology_id: str = wire(STRING)
    partition: int = wire(INT32)
    offset: int = wire(INT64)


@struct
class TaskIds:
    """The tasks of one subtopology, by partition."""

    subtopology_id: str = wire(STRING)
    partitions: list[int] = wire([INT32])


@struct
class Assignment:
    """The tasks of one member."""

    active_tasks: list[TaskIds] = wire([TaskIds])
    standby_tasks: list[TaskIds] = wire([TaskIds])
    warmup_tasks: list[TaskIds] = wire([TaskIds])


@struct
class Member:
    """One member (a thread pool of a process), its tasks now and those it is moving to."""

    member_id: str = wire(STRING)
    member_epoch: int = wire(INT32)
    instance_id: str | None = wire(STRING, nullable="0+", default=None)
    rack_id: str | None = wire(STRING, nullable="0+", default=None)
    client_id: str = wire(STRING)
    client_host: str = wire(STRING)
    topology_epoch: int = wire(INT32)
    process_id: str = wire(STRING)
    user_endpoint: Endpoint | None = wire(Endpoint, nullable="0+", default=None)
    client_tags: list[KeyValue] = wire([KeyValue])
    task_offsets: list[TaskOffset] = wire([TaskOffset])
    task_end_offsets: list[TaskOffset] = wire([TaskOffset])
    assignment: Assignment = wire(Assignment)
    target_assignment: Assignment = wire(Assignment)
    is_classic: bool = wire(BOOL)


@struct
class TopologyDescriptionNode:
    """A node: 1 a source, 2 a processor, 3 a sink; a sink topic of null is chosen at run time."""

    name: str = wire(STRING, "1+")
    node_type: int = wire(INT8, "1+")
    source_topics: list[str] = wire([STRING], "1+")
    sink_topic: str | None = wire(STRING, "1+", nullable="1+", default=None)
    stores: list[str] = wire([STRING], "1+")
    successors: list[str] = wire([STRING], "1+")


@struct
class TopologyDescriptionSubtopology:
    """The nodes of one subtopology."""

    subtopology_id: str = wire(STRING, "1+")
    nodes: list[TopologyDescriptionNode] = wire([TopologyDescriptionNode], "1+")


@struct
class TopologyDescriptionGlobalStore:
    """A store that every process has whole, and what fills it."""

    source: TopologyDescriptionNode = wire(TopologyDescriptionNode, "1+")
    processor: TopologyDescriptionNode = wire(TopologyDescriptionNode, "1+")


@struct
class TopologyDescription:
    """The topology node by node."""

    subtopologies: list[TopologyDescriptionSubtopology] = wire(
        [TopologyDescriptionSubtopology], "1+"
    )
    global_stores: list[TopologyDescriptionGlobalStore] = wire(
        [TopologyDescriptionGlobalStore], "1+"
    )


@struct
class DescribedGroup:
    """One group, or the error for it."""

    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+", default=None)
    group_id: str = wire(STRING)
    group_state: str = wire(STRING)
    group_epoch: int = wire(INT32)
    assignment_epoch: int = wire(INT32)
    topology: Topology | None = wire(Topology, nullable="0+", default=None)
    members: list[Member] = wire([Member])
    authorized_operations: int = wire(INT32, default=-2147483648)
    topology_description: TopologyDescription | None = wire(
        TopologyDescription, "1+", nullable="1+", default=None
    )
    topology_description_status: int = wire(INT8, "1+")
    """0: not asked for, 1: there is none, 2: it cannot be had, 3: it is here."""
    assignor_name: str | None = wire(STRING, "1+", nullable="1+", default=None, ignorable=True)


@message(ApiKey.STREAMS_GROUP_DESCRIBE)
class StreamsGroupDescribeResponse:
    """Each group asked for."""

    throttle_time_ms: int = wire(INT32)
    groups: list[DescribedGroup] = wire([DescribedGroup])
