"""Three brokers in memory live through what the golden cluster did: the znodes are the same."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from pykafka_ops.broker.metadata import znodes
from pykafka_ops.broker.metadata.znodes_admin import TopicDeletions
from pykafka_ops.broker.metadata.znodes_config import EntityConfig
from pykafka_ops.broker.state.topic_rules import NewTopic
from tests.support.replica_double import Nodes, eventually

GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "zk"
MOVED = ("claims", "shipments")
"""Topics that the golden cluster reassigned meanwhile."""


def golden(moment: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((GOLDEN / f"{moment}.json").read_text())
    return found


def topics_of(tree: dict[str, Any]) -> list[NewTopic]:
    topics = []
    for path, znode in tree.items():
        if path.startswith("/brokers/topics/") and path.count("/") == 3:
            name = path.rpartition("/")[2]
            record = znodes.Topic.decode(name, znode["data"].encode())
            config = EntityConfig.decode(name, tree[f"/config/topics/{name}"]["data"].encode())
            topics.append(
                NewTopic(
                    name=name,
                    topic_id=record.topic_id,
                    assignments=dict(sorted(record.partitions.items())),
                    config=config,
                )
            )
    return topics


async def same(nodes: Nodes, tree: dict[str, Any], *, without: tuple[str, ...] = ()) -> None:
    """The topics, their states and their settings are what Kafka wrote, versions included."""
    paths = [
        path
        for path in tree
        if path.startswith(("/brokers/topics/", "/config/topics/"))
        and path.split("/")[3] not in without
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


def test_the_tree_is_kafkas_at_the_same_moments(tmp_path: Path) -> None:
    entities = golden("02-entities")

    async def main() -> None:
        async with Nodes(tmp_path, 3) as nodes:
            await eventually(lambda: set(nodes[0].image.brokers) == {0, 1, 2})
            loop = nodes[0].loop
            await loop.perform(lambda c: c.topics.create(topics_of(entities)))
            await same(nodes, entities)

            await nodes[1].die()
            del nodes.nodes[1]
            await eventually(lambda: set(nodes[0].image.brokers) == {0, 2})
            await same(nodes, golden("05-broker-killed"), without=MOVED)

            await loop.perform(lambda c: c.topics.delete(["claims"]))
            await loop.deletion_settled("claims")
            marked = golden("06-topic-deletion")
            await same(nodes, marked, without=MOVED)
            assert await nodes.first.children(TopicDeletions.path) == ["claims"]
            for index in range(2):
                path = znodes.PartitionState.path("claims", index)
                node = await nodes.first.get(path)
                assert node is not None
                assert json.loads(node.data or b"")["leader"] == -1
                assert json.loads(marked[path]["data"])["leader"] == -1

            await nodes.add(1)
            await eventually(lambda: "claims" not in loop._controller.cluster.topics)  # type: ignore[union-attr]
            gone = golden("07-broker-back")
            names = {path.split("/")[3] for path in gone if path.startswith("/brokers/topics/")}
            assert set(await nodes.first.children("/brokers/topics")) == names
            assert await nodes.first.children(TopicDeletions.path) == []

    asyncio.run(main())
