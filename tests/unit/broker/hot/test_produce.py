"""The path of the usual batch: answers, and bytes on disk, are those of the ordinary code."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pykafka_ops.broker.partitions.append import Appends
from pykafka_ops.broker.runtime.sockets.exchange import MOST_SHAPES
from pykafka_ops.broker.state.meters import COUNTS
from pykafka_ops.broker.state.producers import Origin
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.control import ControlType, EndTxnMarker, build_marker
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.frame import decode_response
from pykafka_ops.wire.messages.produce import PartitionProduceData, ProduceResponse
from tests.support.memory.handler_site import ME, OTHER, batch
from tests.support.memory.produce_desk import Broker, answer_of, decline, request
from tests.support.memory.replication import lead

SEEDS, STEPS = 25, 160
SETTINGS = {
    "plain": {},
    "short": {"segment.bytes": "900", "index.interval.bytes": "60"},
    "few": {"max.message.bytes": "120"},
    "compacted": {"cleanup.policy": "compact"},
    "flushed": {"flush.messages": "1"},
    "stamped": {"message.timestamp.type": "LogAppendTime"},
    "packed": {"compression.type": "gzip"},
    "shared": {},
    "paid": {},
}
Step = Callable[[Broker], object]


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    made = asyncio.new_event_loop()
    yield made
    made.close()


class Counted:
    """How many batches the ordinary code was given."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ordinary = 0
        append = Appends.append

        def counted(work: Appends, *batch: Any) -> object:
            self.ordinary += 1
            return append(work, *batch)

        monkeypatch.setattr(Appends, "append", counted)


def made(loop: asyncio.AbstractEventLoop) -> Broker:
    broker = Broker(loop, repeat=True)
    for name, settings in SETTINGS.items():
        replicas = (ME, OTHER) if name == "shared" else (ME,)
        broker.site.topic(name, 2, isr=replicas, replicas=replicas, config=settings)
    return broker


def records(dice: random.Random, sequences: dict[int, int], *, paid: bool) -> bytes:
    """Mostly what producers send; some of it is out of sequence, or damaged. Those who are ``paid``
    mostly write in transactions."""
    values = [dice.randbytes(dice.choice([0, 5, 130, 300])) for _ in range(dice.choice([1, 1, 3]))]
    more: dict[str, Any] = {"timestamp": 1_000_000 + dice.randrange(-50, 50)}
    if paid or dice.random() < 0.5:
        producer = dice.choice([5, 6])
        sequence = sequences.get(producer, 0)
        more |= {"producer_id": producer, "producer_epoch": 0, "base_sequence": sequence}
        if dice.random() < 0.9:
            sequences[producer] = sequence + len(values)
        more["transactional"] = dice.random() < (0.95 if paid else 0.05)
    codec = dice.choice([Codec.NONE, Codec.NONE, *Codec])
    data = bytearray(batch(*values, codec=codec, **more))
    if dice.random() < 0.1:
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    return bytes(data)


Shapes = dict[str, dict[str, Any]]
"""What the client of each topic says in every request."""


def shapes(dice: random.Random) -> Shapes:
    """Of as many topics as a connection knows the shapes of."""
    others = sorted(SETTINGS.keys() - {"plain", "paid"})
    names = ["plain", "paid", *dice.sample(others, MOST_SHAPES - 2)]
    return {
        name: {
            "acks": dice.choice([1, 1, -1, 0]),
            "version": dice.choice([3, 6, 7, 9, 11]),
            "transactional_id": "tx" if name == "paid" else None,
        }
        for name in names
    }


def step(
    dice: random.Random, shape_of: Shapes, sequences: dict[tuple[str, int], dict[int, int]]
) -> Step:
    """Mostly a request; now and then something happens to the partition or the disk."""
    topic, index = dice.choice([*shape_of, "plain"]), dice.choice([0, 0, 1])
    chance = dice.random()
    if chance < 0.03:
        epoch = dice.randrange(4, 9)
        return lambda broker: change_leader(broker, topic, index, epoch)
    if chance < 0.06:
        short = dice.choice([0, 7])
        error = dice.choice([errno.ENOSPC, errno.EDQUOT])
        return lambda broker: broker.site.logs.files.fail_next_write(error, short=short)
    if chance < 0.12:
        ms = dice.choice([1, 60, 200])
        return lambda broker: pass_time(broker, ms)
    if topic == "paid" and dice.random() < 0.15:
        how = EndTxnMarker(dice.choice([ControlType.ABORT, ControlType.COMMIT]), 0)
        producer = dice.choice([5, 6])
        marker = build_marker(how, timestamp=9, producer_id=producer, producer_epoch=0)
        return lambda broker: end(broker, index, bytes(marker))
    paid = topic == "paid"

    def some(index: int) -> bytes:
        return records(dice, sequences.setdefault((topic, index), {}), paid=paid)

    more = ()
    if dice.random() < 0.3:
        more = tuple(
            PartitionProduceData(index=n, records=some(n))
            for n in dice.choice([(1,), (1, 0), (0, 7, 1), (1, 1)])
        )
    frame = request(
        some(index),
        topic=topic,
        index=index,
        correlation_id=dice.randrange(1 << 31),
        more=more,
        **shape_of[topic],
    )
    return lambda broker: broker.ask(frame)


def change_leader(broker: Broker, topic: str, index: int, epoch: int) -> None:
    partition = broker.site.replicas.find(topic, index)
    assert partition is not None
    replicas = (ME, OTHER) if topic == "shared" else (ME,)
    if epoch > partition.leader_epoch:
        lead(partition, replicas, replicas, epoch=epoch)


def end(broker: Broker, index: int, marker: bytes) -> None:
    """The coordinator ends a transaction in a partition."""
    partition = broker.site.replicas.find("paid", index)
    assert partition is not None
    data = memoryview(bytearray(marker))
    origin = Origin.COORDINATOR
    with contextlib.suppress(KafkaError):  # the disk is full
        broker.site.replicas.append(partition, data, now=broker.site.now, origin=origin)


def pass_time(broker: Broker, ms: int) -> None:
    broker.site.now += ms


def left_behind(broker: Broker) -> dict[str, object]:
    """All that requests change: files, tails, producers, what is counted."""
    site = broker.site
    found: dict[str, object] = {
        path: bytes(inode.data) for path, inode in site.logs.files.inodes.items()
    }
    for (topic, index), log in site.logs.logs.items():
        tail = log.tail
        active = tail.active
        found[f"{topic}-{index}"] = (
            (tail.start, tail.end, tail.high_watermark, tail.owed, tail.first_unstable),
            (tail.latest_epoch, tail.look_at, tail.roll_after, tail.offsets, tail.positions),
            active and (active.size, active.bytes_since_index, active.oldest, active.latest),
            active and (active.max_timestamp_offset, active.index_full, active.base_offset),
            tail.producers.end_offset,
            sorted((state.entry(id_), state.batches) for id_, state in tail.producers),
        )
    for topic, meter in site.replicas.meters:
        found[f"meter of {topic}"] = [getattr(meter, name) for name in COUNTS]
    return found


@pytest.mark.parametrize("seed", range(SEEDS))
def test_requests_end_as_without_the_path(
    loop: asyncio.AbstractEventLoop, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    dice = random.Random(seed)
    sequences: dict[tuple[str, int], dict[int, int]] = {}
    shape = shapes(dice)
    steps = [step(dice, shape, sequences) for _ in range(STEPS)]
    counted = Counted(monkeypatch)
    straight = made(loop)
    answers = [one(straight) for one in steps]
    ordinary = counted.ordinary
    decline(monkeypatch)
    careful = made(loop)
    assert answers == [one(careful) for one in steps]
    assert left_behind(straight) == left_behind(careful)
    assert ordinary < counted.ordinary - ordinary


@pytest.mark.parametrize("version", range(3, 12))
@pytest.mark.parametrize("acks", [0, 1, -1])
@pytest.mark.parametrize("codec", Codec, ids=lambda codec: codec.name.lower())
def test_the_usual_batch_goes_straight_through(
    loop: asyncio.AbstractEventLoop,
    monkeypatch: pytest.MonkeyPatch,
    version: int,
    acks: int,
    codec: Codec,
) -> None:
    counted, broker = Counted(monkeypatch), made(loop)
    for n in range(4):
        more = {"producer_id": 5, "producer_epoch": 0, "base_sequence": n}
        data = batch(b"value", codec=codec, **more)
        broker.ask(request(data, topic="plain", version=version, acks=acks))
    refused = codec is Codec.ZSTD and version < 7
    # The first has its request read, and finds a log that nobody used.
    assert counted.ordinary == (4 if refused else 1)


@pytest.mark.parametrize("version", range(3, 12))
@pytest.mark.parametrize("acks", [0, 1, -1])
def test_batches_for_several_partitions_go_straight_through(
    loop: asyncio.AbstractEventLoop, monkeypatch: pytest.MonkeyPatch, version: int, acks: int
) -> None:
    counted, broker = Counted(monkeypatch), made(loop)
    broker.site.topic("wide", 300)
    for n, count in enumerate([2, 3, 200, 300, 2]):
        more = tuple(
            PartitionProduceData(index=index, records=batch(b"x" * (n + 1)))
            for index in range(1, count)
        )
        frame = request(
            batch(b"x"), topic="wide", more=more, version=version, acks=acks, correlation_id=n
        )
        frames, _ = broker.ask(frame)
        if acks:
            correlation_id, response = decode_response(ProduceResponse, version, frames[0])
            answers = response.responses[0].partition_responses
            assert correlation_id == n
            assert [a.index for a in answers] == list(range(count))
            assert {a.error_code for a in answers} == {0}
            assert [a.base_offset for a in answers[:2]] == [n, n]
    assert broker.read == 1
    assert counted.ordinary <= 302


def test_batches_of_an_open_transaction_go_straight_through(
    loop: asyncio.AbstractEventLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted, broker = Counted(monkeypatch), made(loop)
    for n in range(5):
        more = {"producer_id": 5, "producer_epoch": 0, "base_sequence": n, "transactional": True}
        frame = request(batch(b"x", **more), topic="plain", transactional_id="tx")
        assert answer_of(broker.ask(frame)[0], 7)[1].base_offset == n
    assert (counted.ordinary, broker.read) == (1, 1)
    log = broker.site.logs.logs["plain", 0]
    assert (log.high_watermark, log.last_stable_offset) == (5, 0)


def test_a_batch_of_a_transaction_without_an_id_is_refused(
    loop: asyncio.AbstractEventLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted, broker = Counted(monkeypatch), made(loop)
    more: dict[str, Any] = {"producer_id": 5, "producer_epoch": 0, "transactional": True}
    for n in range(2):
        frame = request(batch(b"x", base_sequence=n, **more), topic="plain", transactional_id="tx")
        broker.ask(frame)
    broker.ask(request(batch(b"x"), topic="plain"))
    ordinary = counted.ordinary
    frame = request(batch(b"x", base_sequence=2, **more), topic="plain")
    before = left_behind(broker)
    assert answer_of(broker.ask(frame)[0], 7)[1].error_code == 53
    assert (left_behind(broker), counted.ordinary) == (before, ordinary)


def test_a_batch_that_could_not_be_written_leaves_nothing(
    loop: asyncio.AbstractEventLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted, broker = Counted(monkeypatch), made(loop)
    for _ in range(3):
        broker.ask(request(batch(b"x"), topic="plain"))
    before = left_behind(broker)
    ordinary = counted.ordinary
    broker.site.logs.files.fail_next_write(errno.ENOSPC, short=9, match="plain-0")
    _, answer = answer_of(broker.ask(request(batch(b"y"), topic="plain"))[0], 7)
    assert (answer.error_code, counted.ordinary) == (56, ordinary)
    after = left_behind(broker)
    changed = {key for key, value in after.items() if value != before[key]}
    assert changed <= {"meter of plain"}
    _, answer = answer_of(broker.ask(request(batch(b"z"), topic="plain"))[0], 7)
    assert (answer.error_code, answer.base_offset) == (0, 3)


def test_a_partition_that_is_gone_is_not_written_to(
    loop: asyncio.AbstractEventLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted, broker = Counted(monkeypatch), made(loop)
    for _ in range(3):
        broker.ask(request(batch(b"x"), topic="plain"))
    ordinary = counted.ordinary
    gone = broker.site.logs.logs["plain", 0]
    broker.site.replicas.drop("plain", 0)
    assert answer_of(broker.ask(request(batch(b"y"), topic="plain"))[0], 7)[1].error_code == 6
    broker.site.topic("plain")
    for n in range(2):
        _, answer = answer_of(broker.ask(request(batch(b"z"), topic="plain"))[0], 7)
        assert (answer.error_code, answer.base_offset) == (0, n)
    assert (gone.log_end_offset, counted.ordinary) == (3, ordinary + 2)
