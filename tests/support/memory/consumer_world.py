"""One shard of groups of both protocols, with topics that a test makes and grows."""

from __future__ import annotations

from typing import Any

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.state.groups.consumer.answers import Beat, Beaten
from pykafka_ops.broker.state.groups.consumer.group import ConsumerGroup
from pykafka_ops.broker.state.groups.consumer.kept import Protocols
from pykafka_ops.broker.state.groups.consumer.settings import ConsumerSettings, MigrationPolicy
from pykafka_ops.broker.state.groups.consumer.shard import ConsumerShard
from pykafka_ops.broker.state.groups.consumer.topics import SeenTopics
from pykafka_ops.broker.state.groups.shard import GroupShard
from pykafka_ops.broker.state.image import MetadataDelta, MetadataImage, PartitionImage
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.group_world import GROUP, World

PARTITION = PartitionImage(0, 0, (0,), (0,))
SESSION, REBALANCE, INTERVAL = 45_000, 60_000, 5_000


def topic_id(name: str) -> bytes:
    """A topic's id."""
    return name.encode().ljust(16, b"\1")


class ConsumerWorld(World):
    """Groups with the log they write; ``topics`` are partition counts by name."""

    def __init__(
        self,
        topics: dict[str, int],
        *,
        policy: MigrationPolicy = MigrationPolicy.DISABLED,
        **settings: Any,
    ) -> None:
        self.image = MetadataImage()
        self.topics = SeenTopics(self.image)
        for name, count in topics.items():
            self.grow(name, count)
        self.wanted = ConsumerSettings(SESSION, INTERVAL, policy=policy, **settings)
        super().__init__()

    def make_shard(self) -> GroupShard:
        return ConsumerShard(self.parts, Protocols(self.wanted, self.topics))

    @property
    def consumers(self) -> dict[str, ConsumerGroup]:
        shard = self.shard
        assert isinstance(shard, ConsumerShard)
        return shard.consumers

    @property
    def consumer_group(self) -> ConsumerGroup:
        return self.consumers[GROUP]

    def grow(self, name: str, count: int) -> None:
        """Have a topic with so many partitions."""
        partitions = {name: dict.fromkeys(range(count), PARTITION)}
        self._tell(partitions, name)

    def drop(self, name: str) -> None:
        """Delete a topic."""
        known = self.image.topics[name].partitions
        self._tell({name: {index: PARTITION.deleted() for index in known}}, name)

    def _tell(self, partitions: dict[str, dict[int, PartitionImage]], name: str) -> None:
        self.image.apply(
            MetadataDelta(
                controller_id=0,
                controller_epoch=1,
                brokers=[],
                partitions=partitions,
                topic_ids={name: topic_id(name)},
            )
        )

    def ask_beat(self, member_id: str, epoch: int, **of: Any) -> Deferred:
        """A heartbeat, without waiting for the answer."""
        group = of.pop("group", GROUP)
        of = {"client_id": "c", "client_host": "/h", **of}
        ticket = Deferred()
        shard = self.shard
        assert isinstance(shard, ConsumerShard)
        self.run(shard.beat(Beat(group, member_id, epoch, **of), ticket, self.now))
        return ticket

    def beat(self, member_id: str, epoch: int, **of: Any) -> Beaten:
        """A heartbeat and its answer."""
        ticket = self.ask_beat(member_id, epoch, **of)
        assert ticket.done
        found = ticket.answer
        assert isinstance(found, Beaten)
        return found

    def enter(self, member_id: str, *names: str, regex: str | None = None, **of: Any) -> Beaten:
        """Join, with a subscription."""
        subscription = {"names": list(names), "regex": regex}
        return self.beat(
            member_id, 0, rebalance_timeout=REBALANCE, owned={}, **{**subscription, **of}
        )

    def entered(self, member_id: str, *names: str, **of: Any) -> Consumer:
        """A client that has joined."""
        client = Consumer(self, member_id, names, of)
        client.join()
        assert client.code is ErrorCode.NONE
        return client


class Consumer:
    """A client that does what the protocol wants: it gives up at once what is not its own any
    more, and says so."""

    def __init__(
        self, world: ConsumerWorld, id_: str, names: tuple[str, ...], of: dict[str, Any]
    ) -> None:
        self.world, self.id, self.names, self.of = world, id_, list(names), of
        self.epoch = 0
        self.owned: set[tuple[bytes, int]] = set()
        self.code = ErrorCode.NONE

    def join(self) -> None:
        """Join with nothing."""
        self.owned = set()
        self._take(self.world.enter(self.id, *self.names, **self.of))

    def beat(self) -> None:
        """Say what there is; hear what is to be."""
        owned: dict[bytes, list[int]] = {}
        for topic, index in self.owned:
            owned.setdefault(topic, []).append(index)
        more = {key: self.of[key] for key in ("instance_id",) if key in self.of}
        self._take(self.world.beat(self.id, self.epoch, owned=owned, **more))

    def _take(self, found: Beaten) -> None:
        self.code = found.code
        if found.code is not ErrorCode.NONE:
            self.owned = set()
            return
        self.epoch = found.epoch
        if found.assignment is not None:
            self.owned = {(t, index) for t, some in found.assignment.items() for index in some}
