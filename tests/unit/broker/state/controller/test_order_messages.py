"""The controller's orders on the wire, beside those that Apache Kafka 3.9.1 sent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.broker.state.controller import order_messages as codec
from pykafka_ops.broker.state.controller.leadership import LEADER_DURING_DELETE
from pykafka_ops.broker.state.controller.orders import StopChange
from pykafka_ops.wire.apis import APIS, ApiKey
from pykafka_ops.wire.codec import decode, encode
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.frame import decode_response, read_request_header
from pykafka_ops.wire.messages import leader_and_isr as lai
from pykafka_ops.wire.messages import stop_replica as stop
from pykafka_ops.wire.messages import update_metadata as um

GOLDEN = Path(__file__).parents[4] / "golden" / "wire"
FILES = ("inter-broker", "inter-broker-failover")


def golden(key: ApiKey) -> list[tuple[Any, Any]]:
    """Requests of Apache Kafka's controller and the answers of its brokers."""
    found = []
    for name in FILES:
        for line in (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            frame = json.loads(line)
            if frame["api_key"] == key and frame["response"] is not None:
                data = bytes.fromhex(frame["request"])
                header = read_request_header(data)
                request = decode(APIS[key].request, header.api_version, data, header.body)
                answer = bytes.fromhex(frame["response"])
                response = decode_response(APIS[key].response, header.api_version, answer)[1]
                found.append((request, response))
    assert len(found) >= 8, "the golden frames are not there"
    return found


def test_leader_and_isr_is_what_kafka_sends_and_answers() -> None:
    for request, response in golden(ApiKey.LEADER_AND_ISR):
        order = codec.read_leader_and_isr(request, "REPL")
        assert codec.leader_and_isr_request(order, "REPL") == request
        errors = codec.read_leader_and_isr_errors(order, response)
        assert _by_topic(codec.leader_and_isr_response(order, errors, 7)) == _by_topic(response)


def test_update_metadata_is_what_kafka_sends() -> None:
    deleted = 0
    for request, _ in golden(ApiKey.UPDATE_METADATA):
        order = codec.read_update_metadata(request, 8)
        assert codec.update_metadata_request(order) == request
        images = [i for topic in order.delta.partitions.values() for i in topic.values()]
        deleted += sum(image.leader == LEADER_DURING_DELETE for image in images)
    assert deleted, "the golden frames have a deleted topic"


def test_stop_replica_is_what_kafka_sends_and_answers() -> None:
    for request, response in golden(ApiKey.STOP_REPLICA):
        order = codec.read_stop_replica(request)
        assert codec.stop_replica_request(order) == request
        errors = codec.read_stop_replica_errors(response)
        made = codec.stop_replica_response(order.stops, errors)
        assert _outcomes(made) == _outcomes(response)


def _by_topic(response: lai.LeaderAndIsrResponse) -> set[tuple[bytes, int, int]]:
    return {
        (t.topic_id, e.partition_index, e.error_code)
        for t in response.topics
        for e in t.partition_errors
    }


def _outcomes(response: stop.StopReplicaResponse) -> set[tuple[str, int, int]]:
    return {(e.topic_name, e.partition_index, e.error_code) for e in response.partition_errors}


@pytest.mark.parametrize("version", range(8))
def test_old_leader_and_isr_is_understood(version: int) -> None:
    states = [lai.LeaderAndIsrPartitionState(
        topic_name="t" if version < 2 else "", partition_index=3, leader=1, leader_epoch=4,
        isr=[1, 2], replicas=[1, 2], partition_epoch=9)]  # fmt: skip
    request = lai.LeaderAndIsrRequest(controller_id=1, controller_epoch=5)
    if version < 2:
        request.ungrouped_partition_states = states
    else:
        request.topic_states = [lai.LeaderAndIsrTopicState(topic_name="t", partition_states=states)]
    again = decode(lai.LeaderAndIsrRequest, version, encode(request, version))
    (change,) = codec.read_leader_and_isr(again, "PLAINTEXT").changes
    assert (change.topic, change.partition, change.state.leader_epoch) == ("t", 3, 4)
    assert (change.state.isr, change.state.partition_epoch) == ((1, 2), 9)


@pytest.mark.parametrize("version", range(9))
def test_old_update_metadata_is_understood(version: int) -> None:
    state = um.UpdateMetadataPartitionState(
        topic_name="t" if version < 5 else "", partition_index=1, leader=2, replicas=[2], isr=[2]
    )
    ends = [um.UpdateMetadataEndpoint(port=9092, host="h", listener="IN" if version >= 3 else "",
                                      security_protocol=1)]  # fmt: skip
    broker = um.UpdateMetadataBroker(id=2)
    if version == 0:
        broker.v0_host, broker.v0_port = "h", 9092
    else:
        broker.endpoints = ends
    request = um.UpdateMetadataRequest(live_brokers=[broker])
    if version < 5:
        request.ungrouped_partition_states = [state]
    else:
        request.topic_states = [
            um.UpdateMetadataTopicState(topic_name="t", partition_states=[state])
        ]
    again = decode(um.UpdateMetadataRequest, version, encode(request, version))
    delta = codec.read_update_metadata(again, version).delta
    assert delta.partitions["t"][1].leader == 2
    (found,) = delta.brokers
    expected = "IN" if version >= 3 else "SSL" if version else "PLAINTEXT"
    assert [e.listener for e in found.endpoints] == [expected]


@pytest.mark.parametrize("version", range(5))
def test_old_stop_replica_is_understood(version: int) -> None:
    request = stop.StopReplicaRequest(delete_partitions=version < 3)
    if version == 0:
        request.ungrouped_partitions = [stop.StopReplicaPartitionV0(topic_name="t",
                                                                    partition_index=1)]  # fmt: skip
    elif version < 3:
        request.topics = [stop.StopReplicaTopicV1(name="t", partition_indexes=[1])]
    else:
        states = [stop.StopReplicaPartitionState(partition_index=1, delete_partition=True)]
        request.topic_states = [stop.StopReplicaTopicState(topic_name="t", partition_states=states)]
    again = decode(stop.StopReplicaRequest, version, encode(request, version))
    assert codec.read_stop_replica(again).stops == [StopChange("t", 1, -1, delete=True)]


def test_an_answer_about_topics_nobody_asked_for_is_passed_over() -> None:
    order = codec.read_leader_and_isr(lai.LeaderAndIsrRequest(), "PLAINTEXT")
    stray = lai.LeaderAndIsrTopicError(topic_id=b"x" * 16)
    stray.partition_errors = [
        lai.LeaderAndIsrPartitionError(error_code=ErrorCode.KAFKA_STORAGE_ERROR)
    ]
    response = lai.LeaderAndIsrResponse(topics=[stray])
    assert codec.read_leader_and_isr_errors(order, response) == {}
