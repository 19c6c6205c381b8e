"""Consumers of the simulation that read all there is, and clients that send what is no request."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from pykafka_ops.broker.runtime.replication.fetch_requests import in_one_piece
from pykafka_ops.disk.batch import scan
from pykafka_ops.disk.control import ControlType, control_type_id
from pykafka_ops.disk.record import iter_records
from pykafka_ops.errors import ConnectError
from pykafka_ops.wire import frame
from pykafka_ops.wire.messages.api_versions import ApiVersionsRequest
from pykafka_ops.wire.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    PartitionData,
)
from pykafka_ops.wire.messages.find_coordinator import FindCoordinatorRequest
from pykafka_ops.wire.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from pykafka_ops.wire.messages.metadata import MetadataRequest
from tests.support.fuzz.mutations import changed
from tests.support.simulated.client import Client
from tests.support.simulated.ledger import demand
from tests.support.simulated.nodes import PORT

NONE = 0
COMMITTED, UNCOMMITTED = 1, 0


def visible(data: PartitionData, *, stable: bool) -> Iterator[tuple[int, bytes | None]]:
    """Offsets and values a consumer gets out of a fetched partition; None where there is none."""
    records = bytes(in_one_piece(data.records))
    aborted = sorted(data.aborted_transactions or [], key=lambda a: a.first_offset)
    open_: set[int] = set()
    for position, header in scan(memoryview(records)):
        while aborted and aborted[0].first_offset <= header.last_offset:
            open_.add(aborted.pop(0).producer_id)
        hidden = stable and header.is_transactional and header.producer_id in open_
        for record in iter_records(records, position, header, 1 << 20):
            if header.is_control:
                if control_type_id(record.key) == ControlType.ABORT:
                    open_.discard(header.producer_id)
                yield record.offset, None
            else:
                yield record.offset, None if hidden else bytes(record.value or b"")


class Reader(Client):
    """Reads every partition of the topics that stay, over and over, with one isolation level."""

    def __init__(self, world: Any, name: str, isolation: int) -> None:
        super().__init__(world, name)
        self._isolation = isolation
        self.seen: dict[tuple[str, int], dict[int, bytes]] = {}
        self.positions: dict[tuple[str, int], int] = {}
        self._ends: dict[tuple[str, int], int] = {}

    async def work(self) -> None:
        while not self.world.quiet:
            topic = self.draw.choice(list(self.world.partitions))
            index = self.draw.randrange(self.world.partitions[topic])
            await self.step(topic, index)
            if self.draw.random() < 0.2:
                await self.check_end(topic, index)
            await asyncio.sleep(self.draw.random() * 0.2)

    async def step(self, topic: str, index: int) -> bool:
        """One fetch; whether there was something new."""
        place = (topic, index)
        at = self.positions.get(place, 0)
        partition = FetchPartition(
            partition=index, fetch_offset=at, partition_max_bytes=self.draw.choice((200, 1 << 20))
        )
        node = await self.leader(*place)
        partition.current_leader_epoch = self.epochs[place]
        request = FetchRequest(
            max_wait_ms=self.draw.choice((0, 100)),
            min_bytes=1,
            max_bytes=1 << 20,
            isolation_level=self._isolation,
            topics=[FetchTopic(topic=topic, partitions=[partition])],
        )
        try:
            answer = await self.ask(node, request, 11, FetchResponse)
        except ConnectError:
            self.forget(*place)
            return False
        data = answer.responses[0].partitions[0]
        if data.error_code != NONE:
            self.forget(*place)
            said = f"{topic}-{index}: {at} is said to be out of range"
            demand(data.error_code != 1, "I4", said)
            return False
        self._take(place, data)
        return self.positions.get(place, 0) > at

    def _take(self, place: tuple[str, int], data: PartitionData) -> None:
        stable = self._isolation == COMMITTED
        seen = self.seen.setdefault(place, {})
        for offset, value in visible(data, stable=stable):
            if offset < self.positions.get(place, 0):
                continue
            at = self.positions.get(place, 0)
            demand(offset == at, "I3", f"{place}: offset {offset} follows {at - 1}")
            self.positions[place] = offset + 1
            if value is not None:
                self.world.ledger.read(*place, offset, value, stable=stable)
                seen[offset] = value

    async def check_end(self, topic: str, index: int) -> int:
        """The end a client is told; it does not go back (I4). -1 if nobody tells."""
        place = (topic, index)
        node = await self.leader(*place)
        partition = ListOffsetsPartition(
            partition_index=index, timestamp=-1, current_leader_epoch=self.epochs[place]
        )
        request = ListOffsetsRequest(
            replica_id=-1,
            isolation_level=self._isolation,
            topics=[ListOffsetsTopic(name=topic, partitions=[partition])],
        )
        try:
            answer = await self.ask(node, request, 4, ListOffsetsResponse)
        except ConnectError:
            self.forget(*place)
            return -1
        found = answer.topics[0].partitions[0]
        if found.error_code != NONE:
            self.forget(*place)
            return -1
        before = self._ends.get(place, 0)
        demand(found.offset >= before, "I4", f"{place}: the end was {before}, now {found.offset}")
        self._ends[place] = found.offset
        return found.offset


class Hostile(Client):
    """Sends frames that are damaged: the broker may hang up, and nothing else."""

    async def work(self) -> None:
        metadata = MetadataRequest(topics=None)
        requests: list[tuple[object, int]] = [
            (ApiVersionsRequest(client_software_name="a", client_software_version="b"), 3),
            (metadata, 9),
            (FindCoordinatorRequest(key="g", key_type=0), 3),
            (self._fetch(), 11),
        ]
        frames = [bytes(frame.encode_request(r, v, 1, "hostile")) for r, v in requests]
        while not self.world.quiet:
            data = bytearray(changed(self.draw, frames))
            if len(data) > 6 and self.draw.random() < 0.8:
                data[:4] = (len(data) - 4).to_bytes(4, "big")
                data[4:6] = self.draw.choice(frames)[4:6]  # nothing that writes
            else:
                data[4:6] = b"\x7f\x7f"
            await self._throw(bytes(data))
            await asyncio.sleep(self.draw.random() * 2)

    @staticmethod
    def _fetch() -> FetchRequest:
        partition = FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=100)
        return FetchRequest(
            max_wait_ms=100,
            min_bytes=1,
            topics=[FetchTopic(topic="plain", partitions=[partition])],
        )

    async def _throw(self, data: bytes) -> None:
        try:
            transport, _ = await asyncio.wait_for(
                self.world.loop.create_connection(_Deaf, f"b{self.any_node()}", PORT), 2
            )
        except (OSError, TimeoutError):
            return
        transport.write(data)
        await asyncio.sleep(self.draw.random() * 0.2)
        transport.close()


class _Deaf(asyncio.BufferedProtocol):
    """Listens to nothing."""

    def get_buffer(self, sizehint: int) -> memoryview:
        return memoryview(bytearray(65_536))
