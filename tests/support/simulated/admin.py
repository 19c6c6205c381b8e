"""The operator of the simulated cluster: topics come and go, grow, move; leaders are elected."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from pykafka_ops.broker.metadata.znodes.admin import Reassignments, TopicDeletions
from pykafka_ops.broker.metadata.znodes.topics import Topics, TopicZNode
from pykafka_ops.errors import ConnectError
from pykafka_ops.wire.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartition,
    ReassignableTopic,
)
from pykafka_ops.wire.messages.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopic,
)
from pykafka_ops.wire.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from pykafka_ops.wire.messages.delete_topics import (
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DeleteTopicState,
)
from pykafka_ops.wire.messages.elect_leaders import ElectLeadersRequest, ElectLeadersResponse
from pykafka_ops.wire.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from pykafka_ops.wire.messages.metadata import MetadataRequest, MetadataResponse
from tests.support.simulated import compacted
from tests.support.simulated.client import Client
from tests.support.simulated.world import World

PASSING = ("passing-a", "passing-b", "passing-c")
"""Topics that are made and deleted again and again, by the same names."""
ADMIN_MS = 5_000
SETTINGS = {
    "min.insync.replicas": ("1", "2", "3"),
    "segment.bytes": ("1000", "4000"),
    "index.interval.bytes": ("0", "4096"),
    "compression.type": ("producer", "lz4", "uncompressed"),
    "message.timestamp.type": ("CreateTime", "LogAppendTime"),
}
"""What topics that stay are given for a while."""
_SET, _DELETE, _TOPIC = 0, 1, 2


class Administrator(Client):
    """Does something to the topics every now and then."""

    async def work(self) -> None:
        actions = [
            self._create,
            self._delete,
            self._enlarge,
            self._reassign,
            self._reassign,
            self._cancel,
            self._elect,
            self._alter,
        ]
        while not self.world.quiet:
            with contextlib.suppress(ConnectError):
                await self.draw.choice(actions)()
            await asyncio.sleep(self.draw.random() * 3)

    async def command(self, request: object, version: int, answer: type[Any]) -> Any:
        """Ask the controller."""
        metadata = await self.ask(self.any_node(), MetadataRequest(topics=[]), 9, MetadataResponse)
        node = metadata.controller_id if metadata.controller_id >= 0 else self.any_node()
        self.world.say(f"{type(request).__name__} to {node}")
        return await self.ask(node, request, version, answer)

    async def create(self, name: str, partitions: int, **settings: str) -> int:
        """Make a topic, settings with _ for . ; the error code."""
        configs = [
            CreatableTopicConfig(name=key.replace("_", "."), value=value)
            for key, value in settings.items()
        ]
        topic = CreatableTopic(
            name=name, num_partitions=partitions, replication_factor=3, configs=configs
        )
        request = CreateTopicsRequest(topics=[topic], timeout_ms=ADMIN_MS)
        answer = await self.command(request, 5, CreateTopicsResponse)
        return int(answer.topics[0].error_code)

    async def _create(self) -> None:
        await self.create(self.draw.choice(PASSING), self.draw.randint(1, 3))

    async def _delete(self) -> None:
        topics = [DeleteTopicState(name=self.draw.choice(PASSING))]
        request = DeleteTopicsRequest(topics=topics, timeout_ms=ADMIN_MS)
        await self.command(request, 6, DeleteTopicsResponse)

    async def _enlarge(self) -> None:
        topic = CreatePartitionsTopic(
            name=self.draw.choice(PASSING), count=self.draw.randint(2, 5), assignments=None
        )
        request = CreatePartitionsRequest(topics=[topic], timeout_ms=ADMIN_MS)
        await self.command(request, 2, CreatePartitionsResponse)

    async def _reassign(self) -> None:
        await self._move(self.draw.sample([n.id for n in self.world.nodes], 3))

    async def _cancel(self) -> None:
        await self._move(None)

    async def _move(self, replicas: list[int] | None) -> None:
        places = sorted(self.world.watcher.states)
        chosen = self.draw.sample(places, min(len(places), self.draw.randint(1, 4)))
        topics = [
            ReassignableTopic(
                name=topic,
                partitions=[ReassignablePartition(partition_index=index, replicas=replicas)],
            )
            for topic, index in dict(chosen).items()
        ]
        request = AlterPartitionReassignmentsRequest(timeout_ms=ADMIN_MS, topics=topics)
        await self.command(request, 0, AlterPartitionReassignmentsResponse)

    async def _elect(self) -> None:
        request = ElectLeadersRequest(election_type=0, topic_partitions=None, timeout_ms=ADMIN_MS)
        await self.command(request, 2, ElectLeadersResponse)

    async def _alter(self) -> None:
        """Another value of a setting, or its default."""
        name = self.draw.choice(sorted(SETTINGS))
        value = self.draw.choice((None, *SETTINGS[name]))
        operation = _DELETE if value is None else _SET
        config = AlterableConfig(name=name, config_operation=operation, value=value)
        topic = self.draw.choice(sorted(self.world.partitions))
        resource = AlterConfigsResource(resource_type=_TOPIC, resource_name=topic, configs=[config])
        self.world.say(f"{topic} {name}={value}")
        request = IncrementalAlterConfigsRequest(resources=[resource])
        await self.command(request, 1, IncrementalAlterConfigsResponse)

    # -- how it stands

    def what_is_missing(self) -> str:
        """Why the cluster is not whole yet, empty if it is (I6, I10)."""
        tree = self.world.ensemble.tree
        if tree.get(Reassignments.path) is not None:
            return "partitions are being reassigned"
        if tree.children(TopicDeletions.path):
            return "topics are being deleted"
        for name in tree.children(Topics.path):
            node = tree.get(TopicZNode.path(name))
            assert node is not None
            for index, assignment in TopicZNode.decode(name, node.data).partitions.items():
                state = self.world.watcher.states.get((name, index))
                if state is None or state.leader < 0:
                    return f"{name}-{index} has no leader"
                if assignment.being_reassigned or set(state.isr) != set(assignment.replicas):
                    return f"{name}-{index}: {state} of {assignment}"
        return ""


class _Maker(Administrator):
    """Makes the topics that stay."""

    def __init__(self, world: World, topics: dict[str, int]) -> None:
        super().__init__(world, "maker")
        self._topics = topics

    async def work(self) -> None:
        for name, count in self._topics.items():
            await self._make(name, count)
            self.world.partitions[name] = count
        if self.world.tidies:
            segments = self.draw.choice(("1000", "4000"))
            await self._make(
                compacted.TOPIC,
                compacted.PARTITIONS,
                cleanup_policy="compact",
                segment_bytes=segments,
            )

    async def _make(self, name: str, count: int, **settings: str) -> None:
        while True:
            try:
                if await self.create(name, count, **settings) in (0, 36):  # TOPIC_ALREADY_EXISTS
                    break
            except ConnectError:
                pass
            await self.pause()
        node = self.world.ensemble.tree.get(TopicZNode.path(name))
        assert node is not None
        found = TopicZNode.decode(name, node.data).topic_id
        assert found is not None
        self.world.ledger.topic_ids[name] = found


def create_topics(world: World, topics: dict[str, int]) -> None:
    """Have the topics made that stay."""
    _Maker(world, topics).run()
