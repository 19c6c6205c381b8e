"""The controller's orders as requests of the inter-broker protocol, and back.

Written in the versions of ``inter.broker.protocol.version`` 3.9, read in all of them. Sources:
``AbstractControllerBrokerRequestBatch``, ``LeaderAndIsrRequest``, ``UpdateMetadataRequest``,
``StopReplicaRequest``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from pykafka_ops.broker.state.controller.leadership import (
    LeaderAndIsr,
    ReplicaAssignment,
    TopicPartition,
    intern_replicas,
)
from pykafka_ops.broker.state.controller.orders import (
    LeaderAndIsrOrder,
    MetadataOrder,
    PartitionErrors,
    ReplicaChange,
    StopChange,
    StopReplicaOrder,
)
from pykafka_ops.broker.state.image import BrokerEndpoint, BrokerInfo, MetadataDelta, PartitionImage
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import leader_and_isr as lai
from pykafka_ops.wire.messages import stop_replica as stop
from pykafka_ops.wire.messages import update_metadata as um
from pykafka_ops.wire.types import ZERO_UUID

LEADER_AND_ISR_VERSION: Final = 7
STOP_REPLICA_VERSION: Final = 4
UPDATE_METADATA_VERSION: Final = 8
PROTOCOLS: Final = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
"""By the number the wire has for them."""


# -- LeaderAndIsr


def leader_and_isr_request(order: LeaderAndIsrOrder, listener: str) -> lai.LeaderAndIsrRequest:
    """The request; ``listener`` is the one that brokers use between them."""
    topics: dict[str, lai.LeaderAndIsrTopicState] = {}
    for change in order.changes:
        topic = topics.get(change.topic)
        if topic is None:
            topic = lai.LeaderAndIsrTopicState(topic_name=change.topic, topic_id=change.topic_id)
            topics[change.topic] = topic
        state = change.state
        topic.partition_states.append(
            lai.LeaderAndIsrPartitionState(
                partition_index=change.partition,
                controller_epoch=state.controller_epoch,
                leader=state.leader,
                leader_epoch=state.leader_epoch,
                isr=list(state.isr),
                partition_epoch=state.partition_epoch,
                replicas=list(change.assignment.replicas),
                adding_replicas=list(change.assignment.adding),
                removing_replicas=list(change.assignment.removing),
                is_new=change.is_new,
                leader_recovery_state=int(state.recovering),
            )
        )
    ends = [(b.id, end) for b in order.leaders if (end := b.endpoint(listener)) is not None]
    return lai.LeaderAndIsrRequest(
        controller_id=order.controller_id,
        controller_epoch=order.controller_epoch,
        broker_epoch=order.broker_epoch,
        topic_states=list(topics.values()),
        live_leaders=[
            lai.LeaderAndIsrLiveLeader(broker_id=id_, host_name=end.host, port=end.port)
            for id_, end in ends
        ],
    )


def read_leader_and_isr(
    request: lai.LeaderAndIsrRequest, listener: str, protocol: str = "PLAINTEXT"
) -> LeaderAndIsrOrder:
    """The order; the addresses in it are those of ``listener``."""
    changes = [
        _change(topic.topic_name, topic.topic_id, state)
        for topic in request.topic_states
        for state in topic.partition_states
    ]
    changes += [_change(s.topic_name, ZERO_UUID, s) for s in request.ungrouped_partition_states]
    return LeaderAndIsrOrder(
        controller_id=request.controller_id,
        controller_epoch=request.controller_epoch,
        broker_epoch=request.broker_epoch,
        changes=changes,
        leaders=[
            BrokerInfo(
                id=each.broker_id,
                endpoints=(BrokerEndpoint(each.host_name, each.port, listener, protocol),),
            )
            for each in request.live_leaders
        ],
    )


def _change(topic: str, topic_id: bytes, state: lai.LeaderAndIsrPartitionState) -> ReplicaChange:
    return ReplicaChange(
        topic,
        topic_id,
        state.partition_index,
        LeaderAndIsr(
            state.leader,
            state.leader_epoch,
            intern_replicas(state.isr),
            state.controller_epoch,
            state.partition_epoch,
            bool(state.leader_recovery_state),
        ),
        ReplicaAssignment(
            intern_replicas(state.replicas),
            tuple(state.adding_replicas),
            tuple(state.removing_replicas),
        ),
        state.is_new,
    )


def leader_and_isr_response(
    order: LeaderAndIsrOrder, errors: PartitionErrors, version: int
) -> lai.LeaderAndIsrResponse:
    """What became of each partition; by topic id from version 5 on."""
    response = lai.LeaderAndIsrResponse()
    topics: dict[bytes, lai.LeaderAndIsrTopicError] = {}
    for change in order.changes:
        error = lai.LeaderAndIsrPartitionError(
            topic_name=change.topic,
            partition_index=change.partition,
            error_code=errors.get((change.topic, change.partition), ErrorCode.NONE),
        )
        if version < 5:
            response.partition_errors.append(error)
        else:
            made = topics.setdefault(
                change.topic_id, lai.LeaderAndIsrTopicError(topic_id=change.topic_id)
            )
            made.partition_errors.append(error)
    response.topics = list(topics.values())
    return response


def read_leader_and_isr_errors(
    order: LeaderAndIsrOrder, response: lai.LeaderAndIsrResponse
) -> PartitionErrors:
    """The partitions that failed, by name."""
    names = {change.topic_id: change.topic for change in order.changes}
    return {
        (names[topic.topic_id], error.partition_index): ErrorCode(error.error_code)
        for topic in response.topics
        if topic.topic_id in names
        for error in topic.partition_errors
        if error.error_code
    }


# -- UpdateMetadata


def update_metadata_request(order: MetadataOrder) -> um.UpdateMetadataRequest:
    """The request for a part of the cluster's picture."""
    delta = order.delta
    return um.UpdateMetadataRequest(
        controller_id=delta.controller_id,
        controller_epoch=delta.controller_epoch,
        broker_epoch=order.broker_epoch,
        topic_states=[
            um.UpdateMetadataTopicState(
                topic_name=topic,
                topic_id=delta.topic_ids.get(topic, ZERO_UUID),
                partition_states=[_partition(i, image) for i, image in partitions.items()],
            )
            for topic, partitions in delta.partitions.items()
        ],
        live_brokers=[
            um.UpdateMetadataBroker(
                id=broker.id,
                rack=broker.rack,
                endpoints=[
                    um.UpdateMetadataEndpoint(
                        port=end.port,
                        host=end.host,
                        listener=end.listener,
                        security_protocol=PROTOCOLS.index(end.protocol),
                    )
                    for end in broker.endpoints
                ],
            )
            for broker in delta.brokers
        ],
    )


def _partition(index: int, image: PartitionImage) -> um.UpdateMetadataPartitionState:
    return um.UpdateMetadataPartitionState(
        partition_index=index,
        controller_epoch=image.controller_epoch,
        leader=image.leader,
        leader_epoch=image.leader_epoch,
        isr=list(image.isr),
        zk_version=image.partition_epoch,
        replicas=list(image.replicas),
        offline_replicas=list(image.offline),
    )


def read_update_metadata(request: um.UpdateMetadataRequest, version: int) -> MetadataOrder:
    """The order; a topic without an id is one that keeps the id it has."""
    partitions: dict[str, dict[int, PartitionImage]] = {}
    ids: dict[str, bytes] = {}
    for topic in request.topic_states:
        partitions[topic.topic_name] = {
            s.partition_index: _image(s) for s in topic.partition_states
        }
        if topic.topic_id != ZERO_UUID:
            ids[topic.topic_name] = topic.topic_id
    for state in request.ungrouped_partition_states:
        partitions.setdefault(state.topic_name, {})[state.partition_index] = _image(state)
    delta = MetadataDelta(
        controller_id=request.controller_id,
        controller_epoch=request.controller_epoch,
        brokers=[_broker(each, version) for each in request.live_brokers],
        partitions=partitions,
        topic_ids=ids,
    )
    return MetadataOrder(broker_epoch=request.broker_epoch, delta=delta)


def _image(state: um.UpdateMetadataPartitionState) -> PartitionImage:
    return PartitionImage(
        state.leader,
        state.leader_epoch,
        intern_replicas(state.isr),
        intern_replicas(state.replicas),
        intern_replicas(state.offline_replicas),
        state.zk_version,
        state.controller_epoch,
    )


def _broker(each: um.UpdateMetadataBroker, version: int) -> BrokerInfo:
    """Before version 3 a listener has the name of its protocol."""
    if version == 0:
        ends = [BrokerEndpoint(each.v0_host, each.v0_port, PROTOCOLS[0], PROTOCOLS[0])]
    else:
        ends = []
        for end in each.endpoints:
            known = 0 <= end.security_protocol < len(PROTOCOLS)
            protocol = PROTOCOLS[end.security_protocol if known else 0]
            ends.append(BrokerEndpoint(end.host, end.port, end.listener or protocol, protocol))
    return BrokerInfo(id=each.id, endpoints=tuple(ends), rack=each.rack)


# -- StopReplica


def stop_replica_request(order: StopReplicaOrder) -> stop.StopReplicaRequest:
    """The request."""
    topics: dict[str, stop.StopReplicaTopicState] = {}
    for each in order.stops:
        topic = topics.setdefault(each.topic, stop.StopReplicaTopicState(topic_name=each.topic))
        topic.partition_states.append(
            stop.StopReplicaPartitionState(
                partition_index=each.partition,
                leader_epoch=each.leader_epoch,
                delete_partition=each.delete,
            )
        )
    return stop.StopReplicaRequest(
        controller_id=order.controller_id,
        controller_epoch=order.controller_epoch,
        broker_epoch=order.broker_epoch,
        topic_states=list(topics.values()),
    )


def read_stop_replica(request: stop.StopReplicaRequest) -> StopReplicaOrder:
    """The order; before version 3 all its partitions are deleted, or none, and have no epoch."""
    stops = [
        StopChange(topic.topic_name, each.partition_index, each.leader_epoch, each.delete_partition)
        for topic in request.topic_states
        for each in topic.partition_states
    ]
    old = [(t.name, index) for t in request.topics for index in t.partition_indexes]
    old += [(each.topic_name, each.partition_index) for each in request.ungrouped_partitions]
    stops += [StopChange(topic, index, -1, request.delete_partitions) for topic, index in old]
    return StopReplicaOrder(
        controller_id=request.controller_id,
        controller_epoch=request.controller_epoch,
        broker_epoch=request.broker_epoch,
        stops=stops,
    )


def stop_replica_response(
    asked: Iterable[StopChange], errors: Mapping[TopicPartition, ErrorCode]
) -> stop.StopReplicaResponse:
    """What became of each partition."""
    return stop.StopReplicaResponse(
        partition_errors=[
            stop.StopReplicaPartitionError(
                topic_name=each.topic,
                partition_index=each.partition,
                error_code=errors.get((each.topic, each.partition), ErrorCode.NONE),
            )
            for each in asked
        ]
    )


def read_stop_replica_errors(response: stop.StopReplicaResponse) -> PartitionErrors:
    """The partitions that failed."""
    return {
        (each.topic_name, each.partition_index): ErrorCode(each.error_code)
        for each in response.partition_errors
        if each.error_code
    }
