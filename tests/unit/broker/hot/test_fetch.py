"""Fetch straight from the bytes: answers, and all that is left behind, are those of the ordinary
code."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pykafka_ops.broker.state.producers import Origin
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.control import ControlType, EndTxnMarker, build_marker
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.frame import decode_response, encode_request
from pykafka_ops.wire.messages.fetch import (
    FetchRequest,
    FetchResponse,
    ForgottenTopic,
    ReplicaState,
)
from tests.support.memory.compaction import clean
from tests.support.memory.fetch_twins import PARTITIONS, SETTINGS, FetchBroker, Twins, topic
from tests.support.memory.handler_site import OTHER, batch, topic_id
from tests.support.memory.replication import lead

SEEDS, STEPS = 30, 250
LOOK_EVERY = 25
VERSIONS = range(4, 18)
NAMES = sorted(SETTINGS)
SIZE = len(batch(b"x"))


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    made = asyncio.new_event_loop()
    yield made
    made.close()


@pytest.fixture
def twins(loop: asyncio.AbstractEventLoop) -> Twins:
    return Twins(loop)


class Reader:
    """A client that goes on where the last answer ended, mostly."""

    def __init__(self, dice: random.Random, name: str) -> None:
        self.dice, self.name = dice, name
        self.follows = dice.random() < 0.3
        self.version = dice.choice(VERSIONS)
        self.in_session = self.version >= 7 and dice.random() < (0.8 if self.follows else 0.5)
        topics = (
            dice.choice([["shared"]] * 4 + [["shared", "plain"]])
            if self.follows
            else dice.sample(NAMES, dice.choice([1, 1, 2, 3]))
        )
        every = [(name, index) for name in topics for index in range(PARTITIONS)]
        self.offsets = dict.fromkeys(dice.sample(every, dice.choice([1, 2, len(every)])), 0)
        self.session, self.sent = (0, 0), dict[tuple[str, int], int]()
        self.busy, self.asked = False, 0
        self.limits: dict[str, Any] = {
            "max_wait_ms": dice.choice([0, 100, 500, 500]),
            "min_bytes": dice.choice([0, 1, 1, 1, SIZE + 20, 5000]),
            "max_bytes": dice.choice([1 << 24, 1 << 24, 400]),
            "isolation_level": dice.choice([0, 1]),
            "rack_id": dice.choice(["", "", "r"]),
        }
        self.size = dice.choice([1 << 20, 1 << 20, 150, 0])
        if self.follows and self.version >= 15:
            self.limits["replica_state"] = ReplicaState(replica_id=OTHER, replica_epoch=7)
        elif self.follows:
            self.limits["replica_id"] = OTHER

    def frame(self) -> bytes:
        """The next request."""
        dice = self.dice
        wanted, forgotten = dict(self.offsets), []
        session = (0, -1)
        if self.in_session:
            session = self.session
            if session[1] > 0:
                wanted = {
                    k: v for k, v in wanted.items() if self.sent.get(k) != v or dice.random() < 0.05
                }
                if dice.random() < 0.04 and self.sent:
                    name, index = dice.choice(sorted(self.sent))
                    del self.sent[name, index]
                    wanted.pop((name, index), None)
                    forgotten = [
                        ForgottenTopic(topic=name, topic_id=topic_id(name), partitions=[index])
                    ]
            self.sent |= wanted
            if dice.random() < 0.03:
                session = (session[0], session[1] + 1)
        epochs = {"current_leader_epoch": -1, "last_fetched_epoch": -1}
        if dice.random() < 0.5:
            epochs["current_leader_epoch"] = dice.choice([-1, 3, 3, 4, 5])
        if self.follows and self.version >= 12:
            epochs["last_fetched_epoch"] = dice.choice([-1, 3, 3, 3, 4])
        topics: dict[str, list[tuple[int, int]]] = {}
        for (name, index), offset in wanted.items():
            topics.setdefault(name, []).append((index, offset))
        if dice.random() < 0.03:
            topics.setdefault("missing", []).append((0, 0))
        start = {"log_start_offset": dice.choice([-1, 0, 0, 2])} if self.follows else {}
        self.asked += 1
        self.busy = True
        return encode_request(
            FetchRequest(
                topics=[topic(n, *w, size=self.size, **epochs, **start) for n, w in topics.items()],
                forgotten_topics_data=forgotten,
                session_id=session[0],
                session_epoch=session[1],
                **self.limits,
            ),
            self.version,
            self.asked,
            "client",
        )

    def heard(self, frames: list[bytes]) -> None:
        """Take over what the answer says."""
        for frame in frames:
            number, answer = decode_response(FetchResponse, self.version, frame)
            assert number == self.asked
            self.busy = False
            if self.in_session:
                following = self.session[1] + 1 if self.session[1] else 1
                self.session = (answer.session_id, following if answer.session_id else 0)
                if not answer.session_id:
                    self.sent = {}
            for found in answer.responses:
                names = {topic_id(name): name for name in NAMES}
                name = found.topic or names.get(found.topic_id, "")
                for data in found.partitions:
                    self._move((name, data.partition_index), data)

    def _move(self, key: tuple[str, int], data: Any) -> None:
        if key not in self.offsets:
            return
        if data.error_code == 1:
            self.offsets[key] = max(data.log_start_offset, 0)
        elif data.records and self.dice.random() < 0.8:
            self.offsets[key] += self.dice.choice([1, 1, 2, 3])
        elif self.dice.random() < 0.03:
            self.offsets[key] = self.dice.randrange(12)


def some_records(dice: random.Random, name: str, sequences: dict[Any, int], index: int) -> bytes:
    values = [dice.randbytes(dice.choice([0, 5, 130, 300])) for _ in range(dice.choice([1, 1, 3]))]
    more: dict[str, Any] = {}
    if name == "paid" and dice.random() < 0.6:
        sequence = sequences.get(index, 0)
        sequences[index] = sequence + len(values)
        more = {
            "producer_id": 5,
            "producer_epoch": 0,
            "base_sequence": sequence,
            "transactional": True,
        }
    codec = dice.choice([Codec.NONE, Codec.NONE, Codec.GZIP])
    return batch(*values, codec=codec, timestamp=1_000_000, **more)


Act = Callable[[FetchBroker], object]


def happening(dice: random.Random, sequences: dict[Any, int]) -> Act:
    """Something that happens to a partition, the disk, or the clock."""
    name, index = dice.choice([*NAMES, "plain", "shared"]), dice.randrange(PARTITIONS)
    kind = dice.choice(
        ["append"] * 24
        + ["time"] * 10
        + ["end"] * 5
        + [
            "delete",
            "lead",
            "follow",
            "roll",
            "clean",
            "cold",
            "quota",
            "catch up",
            "again",
            "other id",
        ]
    )
    data = some_records(dice, name, sequences, index)
    how = EndTxnMarker(dice.choice([ControlType.ABORT, ControlType.COMMIT]), 0)
    marker = bytes(build_marker(how, timestamp=9, producer_id=5, producer_epoch=0))
    ms, cold, rate = (
        dice.choice([1, 60, 500, 11_000]),
        dice.random() < 0.15,
        dice.choice([0, 0, 400]),
    )
    share = dice.random()

    def act(broker: FetchBroker) -> None:
        site = broker.site
        partition = site.replicas.find(name, index)
        if kind == "time":
            site.now += int(ms)
            broker.pass_time(ms)
        elif kind == "cold":
            site.logs.files.cold = cold
        elif kind == "quota":
            broker.limit(None, "client", **({"consumer_byte_rate": rate} if rate else {}))
        elif kind == "again":
            drop_and_make(broker, name)
        elif partition is None:
            return
        elif kind == "other id":
            partition.topic_id = topic_id(name if share < 0.5 else "other")
        else:
            with contextlib.suppress(KafkaError):
                touch(broker, kind, partition, data, marker, share)

    return act


def touch(
    broker: FetchBroker, kind: str, partition: Any, data: bytes, marker: bytes, share: float
) -> None:
    site, log = broker.site, partition.log
    replicas = partition.replicas
    if kind in ("append", "end") and partition.is_leader:
        ends = kind == "end"
        site.replicas.append(
            partition,
            memoryview(bytearray(marker if ends else data)),
            now=site.now,
            origin=Origin.COORDINATOR if ends else Origin.CLIENT,
        )
    elif kind == "delete":
        log.delete_records(int(share * (log.high_watermark + 1)))
        log.delete_old_segments(site.now)
    elif kind == "roll":
        log.roll()
    elif kind == "lead":
        lead(partition, replicas, replicas, epoch=partition.leader_epoch + 1)
    elif kind == "follow":
        lead(partition, replicas, replicas, leader=OTHER, epoch=partition.leader_epoch + 1)
        log.truncate_to(int(share * (log.log_end_offset + 1)))
    elif kind == "catch up" and partition.in_sync is not None:
        partition.fetched_by(OTHER, log.log_end_offset, 0)
    elif kind == "clean" and partition.topic == "compacted" and log.segment_count > 2:
        found = log.compaction.cleanable(site.now)
        if found is not None:
            clean(site.logs.files, log, log.compaction.job(found, site.now))


def drop_and_make(broker: FetchBroker, name: str) -> None:
    """A topic is deleted, and made again."""
    if name == "shared":
        return
    for index in range(PARTITIONS):
        broker.site.replicas.drop(name, index)
        broker.site.logs.files.remove_tree(f"/data/{name}-{index}")
    broker.site.topic(name, PARTITIONS, config=SETTINGS[name])


@pytest.mark.parametrize("seed", range(SEEDS))
def test_requests_end_as_without_the_path(twins: Twins, seed: int) -> None:
    dice = random.Random(seed)
    readers = {f"reader {n}": Reader(dice, f"reader {n}") for n in range(5)}
    sequences: dict[Any, int] = {}
    for n in range(STEPS):
        free = [reader for reader in readers.values() if not reader.busy]
        reader = dice.choice(free or list(readers.values()))
        if dice.random() < 0.01:
            said = twins.do(lambda broker, name=reader.name: broker.hang_up(name))
            readers[reader.name] = Reader(dice, reader.name)
        elif reader.busy or dice.random() < 0.35:
            said = twins.do(happening(dice, sequences))
        else:
            said = twins.ask(reader.name, reader.frame())
        for name, (frames, closed) in said.items():
            assert not closed
            readers[name].heard(frames)
        if n % LOOK_EVERY == 0:
            twins.compare()
    twins.compare()
    print(twins.straight.served, sum(r.asked for r in readers.values()))
