"""A broker becomes controller, follows the tree, and yields when it must."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.broker.metadata.store import Create, SessionState, SetData, StoreError
from pykafka_ops.broker.metadata.znodes.admin import LogDirEvents, TopicDeletions
from pykafka_ops.broker.metadata.znodes.brokers import BrokerIdZNode
from pykafka_ops.broker.metadata.znodes.cluster import ControllerEpoch, ControllerZNode
from pykafka_ops.broker.metadata.znodes.config import EntityConfig
from pykafka_ops.broker.metadata.znodes.topics import TopicZNode
from pykafka_ops.broker.state.controller.controller import Controller
from pykafka_ops.broker.state.controller.leadership import ReplicaAssignment
from pykafka_ops.broker.state.controller.orders import LeaderAndIsrOrder
from pykafka_ops.broker.state.controller.steps import Steps
from pykafka_ops.broker.state.image import BrokerEndpoint, BrokerInfo
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.controller_world import new_topic
from tests.support.memory.replica_double import Node, Nodes, eventually

Body = Callable[[Nodes], Coroutine[Any, Any, None]]


def cluster(tmp_path: Path, count: int, body: Body) -> None:
    async def main() -> None:
        async with Nodes(tmp_path, count) as nodes:
            await body(nodes)

    asyncio.run(main())


async def create(nodes: Nodes, *topics: Any, on: int = 0) -> dict[str, object]:
    results = await nodes[on].loop.perform(lambda c: c.topics.create(topics))
    return dict(results)


def led_by(node: Node, topic: str, index: int) -> int:
    """The leader that a node knows."""
    partition = node.image.partition(topic, index)
    return -1 if partition is None else partition.leader


async def data(nodes: Nodes, path: str) -> bytes | None:
    node = await nodes.first.get(path)
    assert node is not None, path
    return node.data


def test_a_lone_broker_is_controller_and_knows_itself_when_started(tmp_path: Path) -> None:
    async def body(nodes: Nodes) -> None:
        node = nodes[0]
        assert node.loop.is_active
        assert node.loop.epoch == 1
        assert node.image.controller_id == 0
        assert set(node.image.brokers) == {0}

    cluster(tmp_path, 1, body)


def test_a_topic_is_written_as_kafka_does_and_served(tmp_path: Path) -> None:
    async def body(nodes: Nodes) -> None:
        topic = new_topic("t", [0], [0])
        topic.config = {"retention.ms": "1"}
        assert await create(nodes, topic) == {"t": None}
        await eventually(lambda: nodes[0].image.has_leaders("t", [0, 1]))
        assert set(nodes[0].replicas.replicas) == {("t", 0), ("t", 1)}
        assert await data(nodes, "/config/topics/t") == (
            b'{"version":1,"config":{"retention.ms":"1"}}'
        )
        record = TopicZNode.decode("t", await data(nodes, "/brokers/topics/t"))
        assert record == (topic.topic_id, topic.assignments)
        assert await data(nodes, "/brokers/topics/t/partitions/1/state") == (
            b'{"controller_epoch":1,"leader":0,"version":1,"leader_epoch":0,"isr":[0]}'
        )

    cluster(tmp_path, 1, body)


def test_left_over_overrides_of_a_former_topic_are_replaced(tmp_path: Path) -> None:
    async def body(nodes: Nodes) -> None:
        await nodes.first.create("/config/topics/t", EntityConfig.encode({"old": "1"}))
        assert await create(nodes, new_topic("t", [0])) == {"t": None}
        assert await data(nodes, "/config/topics/t") == EntityConfig.encode({})

    cluster(tmp_path, 1, body)


def test_topics_survive_a_restart_of_the_broker(tmp_path: Path) -> None:
    async def before(nodes: Nodes) -> None:
        await create(nodes, new_topic("t", [0], [0]), new_topic("u", [0]))

    async def after(nodes: Nodes) -> None:
        assert nodes[0].loop.epoch == 2
        assert nodes[0].image.has_leaders("t", [0, 1])
        assert set(nodes[0].replicas.replicas) == {("t", 0), ("t", 1), ("u", 0)}
        assert nodes[0].replicas.replicas["t", 0].state.leader_epoch == 0

    cluster(tmp_path, 1, before)
    cluster(tmp_path, 1, after)


def test_deleting_removes_every_trace(tmp_path: Path) -> None:
    async def body(nodes: Nodes) -> None:
        await create(nodes, new_topic("t", [0], [0]))
        loop = nodes[0].loop
        await loop.perform(lambda c: c.topics.delete(["t"]))
        await loop.deletion_settled("t")
        assert nodes[0].image.topics == {}
        assert nodes[0].replicas.replicas == {}
        for path in ("/brokers/topics", "/config/topics", TopicDeletions.path):
            assert await nodes.first.children(path) == []

    cluster(tmp_path, 1, body)


def test_odd_znodes_below_a_topic_go_with_it(tmp_path: Path) -> None:
    async def body(nodes: Nodes) -> None:
        await create(nodes, new_topic("t", [0]))
        await nodes.first.create("/brokers/topics/t/partitions/0/odd/er", make_parents=True)
        await nodes[0].loop.perform(lambda c: c.topics.delete(["t"]))
        await nodes[0].loop.deletion_settled("t")
        assert await nodes.first.children("/brokers/topics") == []

    cluster(tmp_path, 1, body)


def test_what_tools_write_is_noticed(tmp_path: Path) -> None:
    async def body(nodes: Nodes) -> None:
        tree = nodes.first
        record = {0: ReplicaAssignment.of([0])}
        await tree.create("/brokers/topics/t", TopicZNode.encode(b"t" * 16, record))
        await eventually(lambda: nodes[0].image.has_leaders("t", [0]))
        record[1] = ReplicaAssignment.of([0])
        await tree.set("/brokers/topics/t", TopicZNode.encode(b"t" * 16, record))
        await eventually(lambda: nodes[0].image.has_leaders("t", [0, 1]))
        await tree.create(TopicDeletions.topic("t"))
        await eventually(lambda: "t" not in nodes[0].image.topics)
        await nodes[0].loop.deletion_settled("t")
        assert await tree.exists("/brokers/topics/t") is None

    cluster(tmp_path, 1, body)


def test_many_partitions_fit_in_transactions_of_bounded_size(tmp_path: Path) -> None:
    async def body(nodes: Nodes) -> None:
        sizes: list[int] = []
        store = nodes[0].store
        real = store.multi

        async def multi(ops: Any) -> Any:
            ops = list(ops)
            sizes.append(len(ops))
            return await real(ops)

        store.multi = multi  # type: ignore[method-assign]
        assert await create(nodes, new_topic("t", *[[0]] * 1200)) == {"t": None}
        assert max(sizes) <= 1001
        await eventually(lambda: nodes[0].image.has_leaders("t", range(1200)))
        assert await create(nodes, new_topic("t", *[[0]] * 1300)) != {"t": None}
        assert len(await nodes.first.children("/brokers/topics/t/partitions")) == 1200
        await nodes[0].loop.perform(lambda c: c.topics.delete(["t"]))
        await nodes[0].loop.deletion_settled("t")
        assert max(sizes) <= 1001

    cluster(tmp_path, 1, body)


def test_another_broker_takes_over(tmp_path: Path) -> None:
    async def body(nodes: Nodes) -> None:
        await create(nodes, new_topic("t", [0, 1], [1, 0]))
        await eventually(lambda: nodes[1].image.has_leaders("t", [0, 1]))
        assert not nodes[1].loop.is_active
        with pytest.raises(KafkaError) as caught:
            await create(nodes, new_topic("u", [1]), on=1)
        assert caught.value.code == ErrorCode.NOT_CONTROLLER
        await nodes[0].die()
        await eventually(lambda: nodes[1].loop.is_active)
        await eventually(lambda: nodes[1].image.controller_id == 1)
        await eventually(lambda: led_by(nodes[1], "t", 0) == 1)
        partition = nodes[1].image.partition("t", 0)
        assert partition is not None
        assert (partition.leader, partition.isr, partition.leader_epoch) == (1, (1,), 1)
        assert set(nodes[1].image.brokers) == {1}
        del nodes.nodes[0]
        back = await nodes.add(0)
        await eventually(lambda: back.image.has_leaders("t", [0, 1]))
        assert back.image.controller_id == 1

    cluster(tmp_path, 2, body)


def test_a_clean_stop_hands_over_at_once(tmp_path: Path) -> None:
    async def body(nodes: Nodes) -> None:
        await nodes[0].loop.stop()
        assert not nodes[0].loop.is_active
        await eventually(lambda: nodes[1].loop.is_active)
        assert nodes[1].loop.epoch == 2

    cluster(tmp_path, 2, body)


def test_a_lost_session_costs_the_office_and_the_broker_registers_again(tmp_path: Path) -> None:
    async def body(nodes: Nodes) -> None:
        nodes[0].store.expire()
        await eventually(lambda: max(nodes[0].loop.epoch, nodes[1].loop.epoch) == 2)
        await eventually(lambda: nodes[1].image.controller_epoch == 2)
        await eventually(lambda: set(nodes[1].image.brokers) == {0, 1})
        await eventually(lambda: set(nodes[0].image.brokers) == {0, 1})
        assert nodes[0].loop.is_active != nodes[1].loop.is_active

    cluster(tmp_path, 2, body)


def test_a_zombie_controller_cannot_write(tmp_path: Path) -> None:
    async def body(nodes: Nodes) -> None:
        zombie = nodes[0]
        for cancel in zombie.loop._cancels:
            cancel()  # it hears nothing any more, as behind a cut cable
        await nodes.first.delete(ControllerZNode.path)
        await eventually(lambda: nodes[1].loop.is_active)
        assert zombie.loop.is_active
        with pytest.raises(KafkaError) as caught:
            await create(nodes, new_topic("t", [0]))
        assert caught.value.code == ErrorCode.NOT_CONTROLLER
        assert await nodes.first.exists("/brokers/topics/t") is None
        assert not zombie.loop.is_active

    cluster(tmp_path, 2, body)


def test_changed_endpoints_reach_every_broker(tmp_path: Path) -> None:
    async def body(nodes: Nodes) -> None:
        moved = BrokerInfo(id=1, endpoints=(BrokerEndpoint("new", 1, "X", "SSL"),))
        await nodes.first.set(BrokerIdZNode.path(1), BrokerIdZNode.encode(moved, 2))

        def known() -> bool:
            broker = nodes[0].image.brokers.get(1)
            return broker is not None and broker.endpoints == moved.endpoints

        await eventually(known)

    cluster(tmp_path, 2, body)


def test_a_failed_directory_is_found_out(tmp_path: Path) -> None:
    async def body(nodes: Nodes) -> None:
        await create(nodes, new_topic("t", [1, 0]))
        nodes[1].replicas.broken = {("t", 0)}
        await nodes[1].store.create(LogDirEvents.prefix, LogDirEvents.encode(1), sequence=True)

        def leader() -> int | None:
            partition = nodes[0].image.partition("t", 0)
            return None if partition is None else partition.leader

        await eventually(lambda: leader() == 0)
        assert await nodes.first.children(LogDirEvents.path) == []
        assert nodes[0].image.topics["t"].partitions[0].offline == (1,)

    cluster(tmp_path, 2, body)


def test_a_slow_broker_does_not_hold_up_the_controller(tmp_path: Path) -> None:
    async def body(nodes: Nodes) -> None:
        nodes[1].replicas.gate.clear()
        await create(nodes, new_topic("a", [0, 1]), new_topic("b", [0]))
        await eventually(lambda: nodes[0].image.has_leaders("b", [0]))
        assert not nodes[1].image.has_leaders("b", [0])
        nodes[1].replicas.gate.set()
        await eventually(lambda: nodes[1].image.has_leaders("b", [0]))
        assert set(nodes[1].replicas.replicas) == {("a", 0)}

    cluster(tmp_path, 2, body)


def test_a_broker_that_does_not_answer_is_asked_again(tmp_path: Path) -> None:
    async def body(nodes: Nodes) -> None:
        replicas = nodes[1].replicas
        real, calls = replicas.apply_leader_and_isr, 0

        async def flaky(order: LeaderAndIsrOrder) -> Any:
            nonlocal calls
            calls += 1
            if calls == 1:
                raise ConnectionResetError("gone")
            return await real(order)

        replicas.apply_leader_and_isr = flaky  # type: ignore[method-assign]
        await create(nodes, new_topic("t", [1]))
        await eventually(lambda: nodes[0].image.has_leaders("t", [0]))
        await eventually(lambda: ("t", 0) in replicas.replicas)

    cluster(tmp_path, 2, body)


def test_a_rule_that_fails_makes_the_controller_start_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("pykafka_ops.broker.runtime.controller.loop.RETRY_S", 0.0)

    def broken(_: Controller) -> Steps[None]:
        raise ZeroDivisionError
        yield

    async def body(nodes: Nodes) -> None:
        await create(nodes, new_topic("t", [0]))
        with pytest.raises(ZeroDivisionError):
            await nodes[0].loop.perform(broken)
        await eventually(lambda: nodes[0].loop.epoch == 2)
        await eventually(lambda: nodes[0].image.controller_epoch == 2)
        assert await create(nodes, new_topic("u", [0])) == {"u": None}

    cluster(tmp_path, 1, body)
    assert "an event failed" in caplog.text


def test_refused_requests_leave_the_controller_alone(tmp_path: Path) -> None:
    def refused(_: Controller) -> Steps[None]:
        raise KafkaError(ErrorCode.INVALID_REQUEST, "no")
        yield

    async def body(nodes: Nodes) -> None:
        with pytest.raises(KafkaError, match="no"):
            await nodes[0].loop.perform(refused)
        assert nodes[0].loop.epoch == 1
        assert nodes[0].loop.is_active

    cluster(tmp_path, 1, body)


def test_an_election_that_cannot_be_held_is_told_to_the_starter(tmp_path: Path) -> None:
    async def main() -> None:
        nodes = Nodes(tmp_path, 0)
        async with nodes:
            await nodes.first.create(ControllerEpoch.path, b"nonsense")
            with pytest.raises(Exception, match="controller_epoch"):
                await nodes.add(0)
            await nodes.first.multi([SetData(ControllerEpoch.path, b"4")])
            await nodes[0].loop.stop()
            await nodes[0].loop.start()
            assert nodes[0].loop.epoch == 5

    asyncio.run(main())


def test_watches_of_a_former_term_are_silent(tmp_path: Path) -> None:
    async def body(nodes: Nodes) -> None:
        await create(nodes, new_topic("t", [0]))
        await nodes[0].loop.stop()
        await nodes.first.multi([Create("/brokers/topics/x", b"{}")])
        await asyncio.sleep(0)
        assert nodes[0].store._data == {}
        assert nodes[0].store._children == {}
        with pytest.raises(StoreError):
            await nodes.first.create("/brokers/topics/x")

    cluster(tmp_path, 1, body)


def test_a_stop_does_not_wait_for_a_tree_that_cannot_be_reached(tmp_path: Path) -> None:
    async def body(nodes: Nodes) -> None:
        loop = nodes[0].loop

        async def blocked() -> None:  # as a call on the tree does meanwhile
            await asyncio.Event().wait()

        loop.post(blocked)
        loop._session_changed(SessionState.SUSPENDED)
        async with asyncio.timeout(60):
            await loop.stop()
        assert not loop.is_active
        assert await nodes.first.exists("/controller") is not None

    cluster(tmp_path, 1, body)
