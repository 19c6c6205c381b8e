"""A client of the simulated cluster: it knows some addresses, and asks until it is answered."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable
from typing import Any, TypeVar

from pykafka_ops.broker.runtime.cluster.peer import Peer
from pykafka_ops.broker.state.image import BrokerEndpoint
from pykafka_ops.errors import ConnectError
from pykafka_ops.wire.messages.find_coordinator import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from pykafka_ops.wire.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
)
from tests.support.simulated.loop import Life
from tests.support.simulated.nodes import PORT
from tests.support.simulated.world import GivenUpError, World

T = TypeVar("T")
TIMEOUT_S = 4.0
GROUP, TRANSACTION = 0, 1


class Client:
    """A process without files on a host of its own."""

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.name = name
        self.draw = world.draw
        self.life = Life(name)
        self._peers: dict[int, Peer] = {}
        self._leaders: dict[tuple[str, int], int] = {}
        self._coordinators: dict[tuple[str, int], int] = {}
        self.epochs: dict[tuple[str, int], int] = {}
        """The newest leader epoch heard of; news of older ones is ignored."""

    def run(self) -> None:
        """Begin; :meth:`work` goes on until the world is quiet."""
        self.world.busy.add(self.name)
        self.world.loop.create_task(self._guarded(), context=self.life.context)

    async def _guarded(self) -> None:
        try:
            await self.work()
        except GivenUpError:
            pass
        except AssertionError as error:
            self.world.broken(error)
        finally:
            self.world.busy.discard(self.name)

    async def work(self) -> None:
        """What the client does."""
        raise NotImplementedError

    # -- asking

    async def ask(self, node: int, request: object, version: int, answer: type[T]) -> T:
        """The answer of one broker. Raises ConnectError."""
        peer = self._peers.get(node)
        if peer is None:
            endpoint = BrokerEndpoint(f"b{node}", PORT, "PLAINTEXT", "PLAINTEXT")
            peer = self._peers[node] = Peer(node, endpoint, self.name, TIMEOUT_S)
        return await peer.ask(request, version, answer)

    def any_node(self) -> int:
        """A broker of the bootstrap list."""
        return self.draw.choice(self.world.nodes).id

    async def pause(self, most: float = 0.4) -> None:
        """Wait a little. Raises GivenUpError once nobody waits for this any more."""
        self.world.check_patience()
        await asyncio.sleep(0.02 + self.draw.random() * most)

    async def leader(self, topic: str, index: int) -> int:
        """Who leads a partition, as far as is known."""
        while (topic, index) not in self._leaders:
            with contextlib.suppress(ConnectError):
                await self._learn(topic)
            if (topic, index) not in self._leaders:
                await self.pause()
        return self._leaders[topic, index]

    async def _learn(self, topic: str) -> None:
        request = MetadataRequest(
            topics=[MetadataRequestTopic(name=topic)], allow_auto_topic_creation=False
        )
        answer = await self.ask(self.any_node(), request, 9, MetadataResponse)
        for found in answer.topics:
            for partition in found.partitions:
                place = (topic, partition.partition_index)
                if partition.leader_id >= 0 and partition.leader_epoch >= self.epochs.get(place, 0):
                    self.epochs[place] = partition.leader_epoch
                    self._leaders[place] = partition.leader_id

    def forget(self, topic: str, index: int) -> None:
        """It leads no more, or does not answer."""
        self._leaders.pop((topic, index), None)

    async def coordinator(self, key: str, kind: int) -> int:
        """Who coordinates a group or a transactional id."""
        while True:
            try:
                request = FindCoordinatorRequest(key=key, key_type=kind)
                found = await self.ask(self.any_node(), request, 3, FindCoordinatorResponse)
                if found.error_code == 0:
                    return found.node_id
            except ConnectError:
                pass
            await self.pause()

    async def ask_coordinator(
        self, key: str, kind: int, request: object, version: int, answer: type[Any]
    ) -> Any:
        """Ask the one found last, as clients do, or find it; ConnectError too when it is loading
        or has moved."""
        node = self._coordinators.get((key, kind))
        if node is None:
            node = self._coordinators[key, kind] = await self.coordinator(key, kind)
        try:
            found = await self.ask(node, request, version, answer)
            if set(_codes(found)) & {14, 15, 16}:
                raise ConnectError("no coordinator")
        except ConnectError:
            self.forget_coordinator(key, kind)
            raise
        return found

    def forget_coordinator(self, key: str, kind: int) -> None:
        """Look for it again."""
        self._coordinators.pop((key, kind), None)


def _codes(answer: Any) -> Iterable[int]:
    """All error codes in an answer."""
    for name in getattr(type(answer), "__slots__", ()):
        value = getattr(answer, name)
        if name.endswith("error_code"):
            yield value
        elif isinstance(value, list):
            for each in value:
                if hasattr(type(each), "__slots__"):
                    yield from _codes(each)
