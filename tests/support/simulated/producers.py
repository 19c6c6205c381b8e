"""Producers of the simulation: plain ones and idempotent ones."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import ConnectError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.init_producer_id import (
    InitProducerIdRequest,
    InitProducerIdResponse,
)
from pykafka_ops.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from tests.support.simulated.client import Client
from tests.support.simulated.ledger import demand

DUPLICATE = ErrorCode.DUPLICATE_SEQUENCE_NUMBER
OUT_OF_ORDER = ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
NONE = ErrorCode.NONE
PATIENCE = 8
"""How often a batch may be refused as out of order while it is not known to be committed."""
IN_FLIGHT = 5
"""Batches of one partition under way, as of a producer with idempotence."""


class Producer(Client):
    """Writes with acks=all (now and then with 1), and again until it is acknowledged."""

    topic = "plain"

    async def work(self) -> None:
        numbers = itertools.count()
        while not self.world.quiet:
            index = self.draw.randrange(self.count())
            values = [b"%s-%d" % (self.name.encode(), next(numbers)) for _ in range(self.some())]
            acks = 1 if self.draw.random() < 0.1 else -1
            self.world.ledger.write(self.topic, index, values)
            await self._send_until_kept(index, values, acks)
            await asyncio.sleep(self.draw.random() * 0.3)

    def count(self) -> int:
        """Partitions of the topic."""
        return self.world.partitions[self.topic]

    def key(self, value: bytes) -> bytes:
        """The key of a record."""
        return b"k"

    def some(self) -> int:
        """How many records a batch has."""
        return self.draw.choice((1, 1, 1, 2, 5))

    async def _send_until_kept(self, index: int, values: list[bytes], acks: int) -> None:
        for _ in range(30):
            if self.world.quiet:
                return
            answer = await self.send(self.topic, index, self.batch(values), acks)
            if answer is not None and answer.error_code == NONE:
                if acks == -1:
                    offset = answer.base_offset
                    self.world.ledger.acknowledge(self.topic, index, offset, values)
                return
            await self.pause()

    def batch(self, values: list[bytes], **rest: Any) -> bytes:
        """As it goes over the wire."""
        now = self.world.now_ms()
        records = [Record(n, now, self.key(value), value, []) for n, value in enumerate(values)]
        return self.pack(records, **rest)

    def pack(self, records: list[Record], **rest: Any) -> bytes:
        """A batch of these, compressed now and then."""
        codec = self.draw.choice((Codec.NONE, Codec.NONE, Codec.LZ4))
        return bytes(build_batch(records, codec=codec, **rest))

    async def send(
        self, topic: str, index: int, data: bytes, acks: int = -1, name: str | None = None
    ) -> Any:
        """The partition's answer, None if none came."""
        node = await self.leader(topic, index)
        return await self._send_to(node, topic, index, data, acks, name)

    async def _send_to(
        self,
        node: int,
        topic: str,
        index: int,
        data: bytes,
        acks: int = -1,
        name: str | None = None,
    ) -> Any:
        partition = PartitionProduceData(index=index, records=data)
        request = ProduceRequest(
            transactional_id=name,
            acks=acks,
            timeout_ms=2500,
            topic_data=[TopicProduceData(name=topic, partition_data=[partition])],
        )
        try:
            answer = await self.ask(node, request, 9, ProduceResponse)
        except ConnectError:
            self.forget(topic, index)
            return None
        found = answer.responses[0].partition_responses[0]
        if found.error_code not in (NONE, DUPLICATE):
            self.forget(topic, index)
        return found


class Idempotent(Producer):
    """Keeps several batches of a partition under way, in order, each until it is kept."""

    topic = "once"

    async def work(self) -> None:
        self._refused = 0
        answer = None
        while answer is None or answer.error_code != NONE:
            answer = await self._new_id()
        self._id, self._epoch = answer.producer_id, answer.producer_epoch
        await asyncio.gather(*(self._fill(index) for index in range(self.count())))

    async def _new_id(self) -> InitProducerIdResponse | None:
        await self.pause()
        request = InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=60_000)
        try:
            return await self.ask(self.any_node(), request, 4, InitProducerIdResponse)
        except ConnectError:
            return None

    async def _fill(self, index: int) -> None:
        ledger, place = self.world.ledger, (self.name, self.topic, index)
        sent = ledger.in_order.setdefault(place, [])
        waiting: list[tuple[list[bytes], bytes]] = []
        sequence = 0
        while waiting or not self.world.quiet:
            while not self.world.quiet and len(waiting) < self.draw.randint(1, IN_FLIGHT):
                values = [
                    b"%s-%d-%d" % (self.name.encode(), index, sequence + n)
                    for n in range(self.some())
                ]
                data = self.batch(
                    values,
                    producer_id=self._id,
                    producer_epoch=self._epoch,
                    base_sequence=sequence,
                )
                sequence += len(values)
                sent += values
                ledger.write(self.topic, index, values)
                waiting.append((values, data))
            node = await self.leader(self.topic, index)  # the same for all: they stay in order
            answers = await asyncio.gather(
                *(self._send_to(node, self.topic, index, data) for _, data in waiting)
            )
            kept = self._take(index, answers, waiting)
            if kept < len(answers):
                await self.pause()
            await asyncio.sleep(self.draw.random() * 0.8)

    def _take(
        self, index: int, answers: list[Any], waiting: list[tuple[list[bytes], bytes]]
    ) -> int:
        """How many, from the first on, are kept; they are taken off ``waiting``."""
        ledger, place = self.world.ledger, (self.name, self.topic, index)
        kept = 0
        for answer in answers:
            if answer is None or answer.error_code not in (NONE, DUPLICATE):
                break
            values = waiting[kept][0]
            if answer.error_code == NONE:
                ledger.acknowledge(self.topic, index, answer.base_offset, values)
            ledger.confirmed[place] = ledger.confirmed.get(place, 0) + len(values)
            kept += 1
        if not kept and answers[0] is not None and answers[0].error_code == OUT_OF_ORDER:
            # A leader that has restarted knows the last batch only, as in Kafka: one before
            # that, whose answer was lost, is refused though it is there.
            values = waiting[0][0]
            there = set(values) <= set(ledger.of(self.topic, index).values.values())
            self._refused = 0 if there else self._refused + 1
            said = f"{place}: {values} is refused as out of order, and not there"
            demand(self._refused < PATIENCE, "I2", said)
            kept = int(there)
        del waiting[:kept]
        return kept
