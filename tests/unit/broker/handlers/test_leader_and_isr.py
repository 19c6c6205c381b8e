"""LeaderAndIsr: obeyed as it came, refused as a whole when it is of the past."""

from __future__ import annotations

import pytest

from pykafka_ops.wire.messages import leader_and_isr as lai
from tests.support.memory.obedient import STALE, STORAGE, OrderSite


@pytest.fixture
def site() -> OrderSite:
    return OrderSite()


def lead_and_follow(epoch: int) -> lai.LeaderAndIsrRequest:
    states = [lai.LeaderAndIsrPartitionState(partition_index=i, leader_epoch=2) for i in (0, 1)]
    topic = lai.LeaderAndIsrTopicState(topic_name="t", topic_id=b"i" * 16, partition_states=states)
    return lai.LeaderAndIsrRequest(controller_epoch=epoch, broker_epoch=9, topic_states=[topic])


@pytest.mark.parametrize("version", [2, 4, 5, 7])
def test_it_is_obeyed_and_answered_for_each_partition(site: OrderSite, version: int) -> None:
    answer = site.order(lead_and_follow(5), version)
    if version < 5:
        errors = [(e.topic_name, e.partition_index, e.error_code) for e in answer.partition_errors]
        assert errors == [("t", 0, 0), ("t", 1, STORAGE)]
    else:
        (topic,) = answer.topics
        assert topic.topic_id == b"i" * 16
        assert [e.error_code for e in topic.partition_errors] == [0, STORAGE]
    (order,) = site.obedient.orders
    assert order.broker_epoch == 9
    assert [c.state.leader_epoch for c in order.changes] == [2, 2]


@pytest.mark.parametrize("version", range(8))
def test_a_former_controller_is_refused(site: OrderSite, version: int) -> None:
    request = lead_and_follow(4)
    if version < 2:
        request.topic_states = []
    assert site.order(request, version).error_code == STALE
    assert site.obedient.orders == []
