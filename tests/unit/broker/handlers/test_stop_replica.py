"""StopReplica: obeyed as it came, refused as a whole when it is of the past."""

from __future__ import annotations

import pytest

from pykafka_ops.wire.messages import stop_replica as stop
from tests.support.memory.obedient import STALE, STORAGE, OrderSite


@pytest.fixture
def site() -> OrderSite:
    return OrderSite()


def test_it_is_obeyed_and_answered_for_each_partition(site: OrderSite) -> None:
    states = [stop.StopReplicaPartitionState(partition_index=i) for i in (0, 1)]
    topic = stop.StopReplicaTopicState(topic_name="t", partition_states=states)
    answer = site.order(stop.StopReplicaRequest(controller_epoch=5, topic_states=[topic]), 4)
    errors = [(e.topic_name, e.partition_index, e.error_code) for e in answer.partition_errors]
    assert errors == [("t", 0, 0), ("t", 1, STORAGE)]


@pytest.mark.parametrize("version", range(5))
def test_a_former_controller_is_refused(site: OrderSite, version: int) -> None:
    assert site.order(stop.StopReplicaRequest(controller_epoch=4), version).error_code == STALE
    assert site.obedient.orders == []
