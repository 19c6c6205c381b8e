"""Three brokers in memory live through what the golden cluster did: the znodes are the same.

Topics, their states and their settings; the whole tree, on ZooKeeper and by way of the commands, is
compared by tests/cluster/test_golden_moments.py.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from pykafka_ops.broker.metadata.znodes.admin import TopicDeletions
from pykafka_ops.broker.metadata.znodes.config import EntityConfig
from pykafka_ops.broker.metadata.znodes.topics import PartitionState, TopicZNode
from pykafka_ops.broker.runtime.controller.loop import ControllerLoop
from pykafka_ops.broker.state.controller.controller import Controller
from pykafka_ops.broker.state.controller.election import ElectionType
from pykafka_ops.broker.state.controller.isr_rules import IsrChange
from pykafka_ops.broker.state.controller.steps import Steps
from pykafka_ops.broker.state.controller.topic_rules import TopicCreation
from tests.support.golden.tree import Tree
from tests.support.golden.tree import moment as golden
from tests.support.memory.replica_double import Nodes, eventually

MOVED = ("claims", "shipments")
"""Topics whose settings the tool that throttles moves changed; nobody does here."""


def topics_of(tree: Tree) -> list[TopicCreation]:
    topics = []
    for path, znode in tree.items():
        if path.startswith("/brokers/topics/") and path.count("/") == 3:
            name = path.rpartition("/")[2]
            record = TopicZNode.decode(name, znode["data"].encode())
            config = EntityConfig.decode(name, tree[f"/config/topics/{name}"]["data"].encode())
            topics.append(
                TopicCreation(
                    name=name,
                    topic_id=record.topic_id,
                    assignments=dict(sorted(record.partitions.items())),
                    config=config,
                )
            )
    return topics


def active(nodes: Nodes) -> ControllerLoop:
    """The controller."""
    (found,) = (node.loop for node in nodes.nodes.values() if node.loop.is_active)
    return found


async def grow_isrs(nodes: Nodes, tree: Tree) -> None:
    """Leaders take the replicas back that the tree has in sync."""
    for path, znode in tree.items():
        if path.endswith("/state"):
            topic, index = path.split("/")[3], int(path.split("/")[5])
            await in_sync(nodes, topic, *json.loads(znode["data"])["isr"], index=index)


async def in_sync(nodes: Nodes, topic: str, *isr: int, index: int = 0) -> None:
    """The leader of a partition asks for this ISR."""
    loop = active(nodes)
    controller = loop._rules
    assert controller is not None
    state = controller.cluster.topics[topic].partitions[index].state
    assert state is not None
    if state.isr == isr:
        return
    change = IsrChange(isr, state.leader_epoch, state.partition_epoch)
    epoch = controller.cluster.brokers[state.leader].epoch
    await loop.perform(lambda c: c.isr.alter(state.leader, epoch, {(topic, index): change}))
    await loop.perform(nothing)  # what follows from it is done


def nothing(controller: Controller) -> Steps[None]:
    yield from ()


async def same(nodes: Nodes, tree: Tree, *, but: tuple[str, ...] = ()) -> None:
    """The topics, their states and their settings (``but`` for some topics') are what Kafka
    wrote, versions included."""
    paths = [
        path
        for path in tree
        if path.startswith("/brokers/topics/")
        or (path.startswith("/config/topics/") and path.split("/")[3] not in but)
    ]
    assert len(paths) > 100
    for path, node in zip(paths, await nodes.first.get_many(paths), strict=True):
        assert node is not None, path
        wanted = tree[path]
        assert (node.data is None) == (wanted["data"] is None), path
        if node.data is not None:
            assert json.loads(node.data) == json.loads(wanted["data"]), path
        if not path.startswith("/config/"):
            assert node.stat.version == wanted["version"], path
            assert node.stat.cversion == wanted["cversion"], path


async def replicas_move(nodes: Nodes) -> None:
    loop = active(nodes)
    moves = {("shipments", 0): [2, 1], ("claims", 0): [0, 1]}
    assert set((await loop.perform(lambda c: c.moves.alter(moves))).values()) == {None}
    await in_sync(nodes, "claims", 1, 2, 0)
    await same(nodes, golden("03-reassignment"), but=MOVED)
    await loop.perform(lambda c: c.moves.alter({("shipments", 0): None}))
    await same(nodes, golden("04-reassignment-cancelled"), but=MOVED)


async def a_broker_dies(nodes: Nodes) -> None:
    await nodes[1].die()
    del nodes.nodes[1]
    await eventually(lambda: set(nodes[0].image.brokers) == {0, 2})
    await same(nodes, golden("05-broker-killed"), but=MOVED)


async def a_topic_is_deleted(nodes: Nodes) -> None:
    loop = active(nodes)
    await loop.perform(lambda c: c.topics.delete(["claims"]))
    await loop.deletion_settled("claims")
    marked = golden("06-topic-deletion")
    await same(nodes, marked, but=MOVED)
    assert await nodes.first.children(TopicDeletions.path) == ["claims"]
    for index in range(2):
        path = PartitionState.path("claims", index)
        node = await nodes.first.get(path)
        assert node is not None
        assert json.loads(node.data or b"")["leader"] == -1
        assert json.loads(marked[path]["data"])["leader"] == -1


async def the_broker_comes_back(nodes: Nodes) -> None:
    loop = active(nodes)
    await nodes.add(1)
    await eventually(lambda: "claims" not in loop._rules.cluster.topics)  # type: ignore[union-attr]
    gone = golden("07-broker-back")
    names = {path.split("/")[3] for path in gone if path.startswith("/brokers/topics/")}
    assert set(await nodes.first.children("/brokers/topics")) == names
    assert await nodes.first.children(TopicDeletions.path) == []
    await grow_isrs(nodes, gone)
    await same(nodes, gone, but=MOVED)
    await loop.perform(lambda c: c.elections.elect(None, ElectionType.PREFERRED))
    await same(nodes, golden("08-preferred-election"), but=MOVED)


async def the_controller_changes(nodes: Nodes) -> None:
    await active(nodes).perform(lambda c: c.brokers.controlled_shutdown(0, -1))
    await nodes[0].loop.stop()
    await nodes[0].die()
    del nodes.nodes[0]
    await eventually(lambda: any(node.loop.is_active for node in nodes.nodes.values()))
    await same(nodes, golden("09-controller-stopped"), but=MOVED)


async def a_topic_grows(nodes: Nodes) -> None:
    await nodes.add(0)
    grown = golden("10-partitions-added")
    quotes = TopicZNode.decode("quotes", grown["/brokers/topics/quotes"]["data"].encode())
    added = {index: quotes.partitions[index] for index in (3, 4)}
    await active(nodes).perform(lambda c: c.topics.add_partitions("quotes", added))
    await grow_isrs(nodes, grown)
    await same(nodes, grown, but=MOVED)


async def all_topics_are_deleted(nodes: Nodes) -> None:
    loop = active(nodes)
    await loop.perform(lambda c: c.topics.delete(["quotes", "invoices", "shipments"]))
    internal = {"__consumer_offsets", "__transaction_state"}
    await eventually(lambda: set(loop._rules.cluster.topics) == internal)  # type: ignore[union-attr]
    left = golden("11-topics-deleted")
    await same(nodes, left, but=MOVED)
    for parent in ("/brokers/topics", "/config/topics"):
        assert set(await nodes.first.children(parent)) == internal
    assert await nodes.first.children(TopicDeletions.path) == []


def test_the_tree_is_kafkas_at_the_same_moments(tmp_path: Path) -> None:
    entities = golden("02-entities")

    async def main() -> None:
        async with Nodes(tmp_path, 3) as nodes:
            await eventually(lambda: set(nodes[0].image.brokers) == {0, 1, 2})
            await active(nodes).perform(lambda c: c.topics.create(topics_of(entities)))
            await same(nodes, entities)
            await replicas_move(nodes)
            await a_broker_dies(nodes)
            await a_topic_is_deleted(nodes)
            await the_broker_comes_back(nodes)
            await the_controller_changes(nodes)
            await a_topic_grows(nodes)
            await all_topics_are_deleted(nodes)

    asyncio.run(main())
