"""The controller's requests: obeyed as they came, refused as a whole when they are of the past."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pykafka_ops.broker.state.controller.orders import (
    LeaderAndIsrOrder,
    MetadataOrder,
    PartitionErrors,
    StopReplicaOrder,
)
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import leader_and_isr as lai
from pykafka_ops.wire.messages import stop_replica as stop
from pykafka_ops.wire.messages import update_metadata as um
from tests.support.memory.handler_site import Site

STALE = ErrorCode.STALE_CONTROLLER_EPOCH
STORAGE = ErrorCode.KAFKA_STORAGE_ERROR


class Obedient:
    """Takes orders of controller epoch 5 and later; the partition t-1 fails."""

    def __init__(self) -> None:
        self.orders: list[Any] = []

    def _take(self, order: Any, epoch: int) -> PartitionErrors:
        if epoch < 5:
            raise KafkaError(STALE)
        self.orders.append(order)
        return {("t", 1): STORAGE}

    async def apply_leader_and_isr(self, order: LeaderAndIsrOrder) -> PartitionErrors:
        return self._take(order, order.controller_epoch)

    async def apply_stop_replica(self, order: StopReplicaOrder) -> PartitionErrors:
        return self._take(order, order.controller_epoch)

    async def apply_update_metadata(self, order: MetadataOrder) -> None:
        self._take(order, order.delta.controller_epoch)


def asked(site: Site, request: Any, version: int) -> Any:
    return asyncio.run(site.ask_soon(request, version))


@pytest.fixture
def site() -> Site:
    made = Site()
    made.services.executor = Obedient()
    return made


def lead_and_follow(epoch: int) -> lai.LeaderAndIsrRequest:
    states = [lai.LeaderAndIsrPartitionState(partition_index=i, leader_epoch=2) for i in (0, 1)]
    topic = lai.LeaderAndIsrTopicState(topic_name="t", topic_id=b"i" * 16, partition_states=states)
    return lai.LeaderAndIsrRequest(controller_epoch=epoch, broker_epoch=9, topic_states=[topic])


@pytest.mark.parametrize("version", [2, 4, 5, 7])
def test_leader_and_isr_is_obeyed_and_answered_for_each_partition(site: Site, version: int) -> None:
    answer = asked(site, lead_and_follow(5), version)
    if version < 5:
        errors = [(e.topic_name, e.partition_index, e.error_code) for e in answer.partition_errors]
        assert errors == [("t", 0, 0), ("t", 1, STORAGE)]
    else:
        (topic,) = answer.topics
        assert topic.topic_id == b"i" * 16
        assert [e.error_code for e in topic.partition_errors] == [0, STORAGE]
    (order,) = site.services.executor.orders  # type: ignore[attr-defined]
    assert order.broker_epoch == 9
    assert [c.state.leader_epoch for c in order.changes] == [2, 2]


@pytest.mark.parametrize("version", range(8))
def test_a_former_controller_is_refused(site: Site, version: int) -> None:
    request = lead_and_follow(4)
    if version < 2:
        request.topic_states = []
    assert asked(site, request, version).error_code == STALE
    if version < 5:
        assert asked(site, stop.StopReplicaRequest(controller_epoch=4), version).error_code == STALE
    assert asked(site, um.UpdateMetadataRequest(controller_epoch=4), version).error_code == STALE


def test_stop_replica_is_obeyed_and_answered_for_each_partition(site: Site) -> None:
    states = [stop.StopReplicaPartitionState(partition_index=i) for i in (0, 1)]
    topic = stop.StopReplicaTopicState(topic_name="t", partition_states=states)
    answer = asked(site, stop.StopReplicaRequest(controller_epoch=5, topic_states=[topic]), 4)
    errors = [(e.topic_name, e.partition_index, e.error_code) for e in answer.partition_errors]
    assert errors == [("t", 0, 0), ("t", 1, STORAGE)]


def test_update_metadata_is_taken_over(site: Site) -> None:
    broker = um.UpdateMetadataBroker(id=3, rack="r")
    request = um.UpdateMetadataRequest(controller_epoch=5, live_brokers=[broker])
    assert asked(site, request, 8).error_code == 0
    (order,) = site.services.executor.orders  # type: ignore[attr-defined]
    assert [(b.id, b.rack) for b in order.delta.brokers] == [(3, "r")]
