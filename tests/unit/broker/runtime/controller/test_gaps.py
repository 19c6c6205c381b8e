"""What changes in the tree while the controller reads it, or has just written it, is not missed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

from pykafka_ops.broker.metadata.store import Op, ZNode
from pykafka_ops.broker.metadata.znodes.brokers import BrokerIdZNode
from pykafka_ops.broker.metadata.znodes.topics import TopicZNode
from pykafka_ops.broker.state.controller.leadership import ReplicaAssignment
from pykafka_ops.broker.state.controller.topic_rules import TopicCreation
from pykafka_ops.broker.state.image import BrokerEndpoint, BrokerInfo
from tests.support.memory.replica_double import Node, Nodes, eventually

Change = Callable[[], Coroutine[Any, Any, object]]
TOPIC = "/brokers/topics/t"
ID = b"t" * 16


def assigned(*brokers: int) -> bytes:
    """A topic with a partition on each of these brokers."""
    return TopicZNode.encode(ID, {n: ReplicaAssignment.of([b]) for n, b in enumerate(brokers)})


def after_reading(node: Node, path: str, change: Change) -> None:
    """Somebody changes the tree right after the node has read ``path`` for the first time."""
    real, waiting = node.store.get_many, [change]

    async def get_many(paths: Sequence[str]) -> list[ZNode | None]:
        found = await real(paths)
        if path in paths and waiting:
            await waiting.pop()()
        return found

    node.store.get_many = get_many  # type: ignore[method-assign]


def test_a_topic_that_changes_right_after_it_was_read(tmp_path: Path) -> None:
    async def main() -> None:
        async with Nodes(tmp_path) as nodes:
            tree = nodes.first
            after_reading(nodes[0], TOPIC, lambda: tree.set(TOPIC, assigned(0, 0)))
            await tree.create(TOPIC, assigned(0))
            await eventually(lambda: nodes[0].image.has_leaders("t", [0, 1]), 5)

    asyncio.run(main())


def test_a_topic_that_changes_while_a_new_controller_reads_it(tmp_path: Path) -> None:
    async def main() -> None:
        async with Nodes(tmp_path, 2) as nodes:
            tree = nodes.first
            await tree.create(TOPIC, assigned(0))
            await eventually(lambda: nodes[0].image.has_leaders("t", [0]))
            after_reading(nodes[1], TOPIC, lambda: tree.set(TOPIC, assigned(0, 1)))
            await nodes[0].die()
            await eventually(lambda: nodes[1].image.has_leaders("t", [1]), 5)

    asyncio.run(main())


def test_a_broker_that_changes_right_after_it_was_read(tmp_path: Path) -> None:
    async def main() -> None:
        async with Nodes(tmp_path) as nodes:
            moved = BrokerInfo(id=1, endpoints=(BrokerEndpoint("new", 1, "X", "SSL"),))
            path = BrokerIdZNode.path(1)
            change = lambda: nodes.first.set(path, BrokerIdZNode.encode(moved, 2))  # noqa: E731
            after_reading(nodes[0], path, change)
            await nodes.add(1)

            def known() -> bool:
                broker = nodes[0].image.brokers.get(1)
                return broker is not None and broker.endpoints == moved.endpoints

            await eventually(known, 5)

    asyncio.run(main())


def test_a_topic_that_changes_while_its_many_partitions_are_written(tmp_path: Path) -> None:
    async def main() -> None:
        async with Nodes(tmp_path) as nodes:
            store = nodes[0].store
            real, count = store.multi, 0

            async def multi(ops: Sequence[Op]) -> Any:
                nonlocal count
                results = await real(ops)
                count += 1
                if count == 2:  # the topic is there, and some of its partitions
                    await nodes.first.set(TOPIC, assigned(*[0] * 1201))
                return results

            store.multi = multi  # type: ignore[method-assign,assignment]
            many = {index: ReplicaAssignment.of([0]) for index in range(1200)}
            topic = TopicCreation(name="t", topic_id=ID, assignments=many)
            await nodes[0].loop.perform(lambda c: c.topics.create([topic]))
            await eventually(lambda: nodes[0].image.has_leaders("t", range(1201)), 5)

    asyncio.run(main())


def test_a_topic_that_could_not_be_read_is_taken_over_when_it_is_written_anew(
    tmp_path: Path,
) -> None:
    async def main() -> None:
        async with Nodes(tmp_path) as nodes:
            tree = nodes.first
            await tree.create(TOPIC, b"{")
            await tree.create("/brokers/topics/other", assigned(0))
            await eventually(lambda: nodes[0].image.has_leaders("other", [0]))
            assert not nodes[0].store._data.get(TOPIC)
            await tree.delete(TOPIC)
            await tree.create(TOPIC, assigned(0))
            await eventually(lambda: nodes[0].image.has_leaders("t", [0]), 5)

    asyncio.run(main())
