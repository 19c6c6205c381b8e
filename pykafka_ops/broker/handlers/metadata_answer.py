"""The answer to a Metadata request, made of the broker's picture of the cluster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.handlers.operations import (
    CLUSTER_OPERATIONS,
    NOT_ASKED,
    TOPIC_OPERATIONS,
)
from pykafka_ops.broker.state.image import PartitionImage, TopicImage
from pykafka_ops.broker.state.listener_view import ListenerView
from pykafka_ops.broker.state.names import absence, is_internal
from pykafka_ops.broker.state.steps import Steps, each, in_turn
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.metadata import (
    MetadataRequest,
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)

_VERSIONS_WITH_CLUSTER_OPERATIONS = range(8, 11)
NO_ERRORS: Mapping[str, ErrorCode] = MappingProxyType({})


def answer(
    context: Context,
    request: MetadataRequest,
    names: Iterable[str],
    *,
    first: Iterable[MetadataResponseTopic] = (),
    errors: Mapping[str, ErrorCode] = NO_ERRORS,
) -> Steps[MetadataResponse]:
    """The brokers, what is ``first``, and the topics of these ``names`` as they are now;
    ``errors`` says what kept some of them from being created."""
    image = context.services.image
    view = ListenerView(image, context.listener, context.version)
    operations = TOPIC_OPERATIONS if request.include_topic_authorized_operations else NOT_ASKED

    def shown(name: str) -> Steps[MetadataResponseTopic]:
        found = image.topics.get(name)
        topic = _missing(name, errors) if found is None else (yield from _topic(view, found))
        topic.topic_authorized_operations = operations
        return topic

    topics = yield from in_turn(shown, names)
    all_operations = context.version in _VERSIONS_WITH_CLUSTER_OPERATIONS
    all_operations = all_operations and request.include_cluster_authorized_operations
    return MetadataResponse(
        brokers=[
            MetadataResponseBroker(node_id=id_, host=endpoint.host, port=endpoint.port, rack=rack)
            for id_, endpoint, rack in view.nodes
        ],
        cluster_id=context.services.cluster_id,
        controller_id=image.controller_id,
        topics=[*first, *topics],
        cluster_authorized_operations=CLUSTER_OPERATIONS if all_operations else NOT_ASKED,
    )


def _missing(name: str, errors: Mapping[str, ErrorCode]) -> MetadataResponseTopic:
    code = errors.get(name, ErrorCode.NONE) or absence(name)
    return MetadataResponseTopic(error_code=code, name=name, is_internal=is_internal(name))


def _topic(view: ListenerView, topic: TopicImage) -> Steps[MetadataResponseTopic]:
    def partition(known: tuple[int, PartitionImage]) -> MetadataResponsePartition:
        index, image = known
        error, leader, replicas, isr = view.partition(image)
        return MetadataResponsePartition(
            error_code=error,
            partition_index=index,
            leader_id=leader,
            leader_epoch=image.leader_epoch,
            replica_nodes=replicas,
            isr_nodes=isr,
            offline_replicas=list(image.offline),
        )

    partitions = yield from each(partition, topic.partitions.items())
    return MetadataResponseTopic(
        name=topic.name,
        topic_id=topic.topic_id,
        is_internal=is_internal(topic.name),
        partitions=partitions,
    )
