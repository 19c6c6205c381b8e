"""Apache Kafka and our broker answer requests about records alike, in every version."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.legacy import build_messages
from pykafka_ops.disk.record import Record
from pykafka_ops.wire.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from pykafka_ops.wire.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from pykafka_ops.wire.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from pykafka_ops.wire.messages.init_producer_id import InitProducerIdRequest
from pykafka_ops.wire.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from pykafka_ops.wire.messages.metadata import MetadataRequest
from pykafka_ops.wire.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)
from pykafka_ops.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from tests.support.differential.two_brokers import CLOSED, Link
from tests.support.memory.handler_site import batch
from tests.support.process.apache import ApacheBroker
from tests.support.process.broker import BrokerProcess
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow]
NOW = int(time.time() * 1000)
GOOD = batch(b"q", timestamp=NOW)


class Pair:
    """Both brokers, with the same topics; each test gets topics of its own prefix."""

    def __init__(self, theirs: str, ours: str) -> None:
        self.links = (Link(theirs), Link(ours))

    def both(self, make: Any, version: int, shape: Callable[[Any], Any] = lambda a: a) -> None:
        """Ask both (``make`` is the request, or makes it for a link); the answers are equal."""
        shown = []
        for link in self.links:
            answer = link.ask(make(link) if callable(make) else make, version)
            shown.append(answer if answer == CLOSED else shape(answer))
        assert shown[1] == shown[0]

    def create(self, name: str, **config: str) -> None:
        configs = [
            CreatableTopicConfig(name=k.replace("_", "."), value=v) for k, v in config.items()
        ]
        topic = CreatableTopic(name=name, num_partitions=1, replication_factor=1, configs=configs)
        for link in self.links:
            answer = link.ask(CreateTopicsRequest(topics=[topic], timeout_ms=60_000), 5)
            assert answer.topics[0].error_code == 0
            wait_for(lambda link=link: link.ask(look_up(name, -1), 1).topics[0].partitions[0])
            wait_for(
                lambda link=link: (
                    link.ask(look_up(name, -1), 1).topics[0].partitions[0].error_code == 0
                ),
                what=f"leader of {name}",
            )

    def produce(self, name: str, records: bytes, version: int = 9, **head: Any) -> None:
        request = produce(name, records, **head)
        self.both(request, version, without_texts)


@pytest.fixture(scope="module")
def pair(apache_session: ApacheBroker, pko_session: BrokerProcess) -> Iterator[Pair]:
    made = Pair(apache_session.bootstrap, pko_session.bootstrap)
    yield made
    for link in made.links:
        link.close()


@pytest.fixture
def filled(pair: Pair, topic: str) -> str:
    """A topic with batches at 0-2, 3-4 and 5 (older than those before it)."""
    pair.create(topic)
    pair.produce(topic, batch(b"a", b"b", b"c", timestamp=NOW - 10_000))
    pair.produce(topic, batch(b"d", b"e", timestamp=NOW - 5_000))
    pair.produce(topic, batch(b"f", timestamp=NOW - 7_000, codec=Codec.GZIP))
    return topic


def produce(
    name: str, records: bytes, *, index: int = 0, acks: int = 1, tx: str | None = None
) -> ProduceRequest:
    data = [PartitionProduceData(index=index, records=records)]
    return ProduceRequest(
        acks=acks,
        timeout_ms=60_000,
        transactional_id=tx,
        topic_data=[TopicProduceData(name=name, partition_data=data)],
    )


def without_texts(answer: Any) -> Any:
    """Produce answers without the words that ours adds, and without the broker's clock."""
    for topic in answer.responses:
        for each in topic.partition_responses:
            each.error_message = each.current_leader = None
            each.log_append_time_ms = min(each.log_append_time_ms, 1)
            for error in each.record_errors:
                error.batch_index_error_message = None
    answer.node_endpoints = []
    return answer


def look_up(
    name: str, timestamp: int, *, index: int = 0, epoch: int = -1, replica: int = -1, count: int = 1
) -> ListOffsetsRequest:
    asked = ListOffsetsPartition(
        partition_index=index,
        timestamp=timestamp,
        current_leader_epoch=epoch,
        max_num_offsets=count,
    )
    topics = [ListOffsetsTopic(name=name, partitions=[asked])]
    return ListOffsetsRequest(replica_id=replica, topics=topics)


# -- produce ---------------------------------------------------------------------------------------


def old(magic: int, value: bytes) -> bytes:
    return bytes(build_messages([Record(0, NOW, None, value, [])], magic))


PRODUCER = {"producer_id": 5, "producer_epoch": 0}
RECORDS = {
    "empty": b"",
    "short": GOOD[:-1],
    "few bytes": b"abc",
    "garbage": b"\xff" * 100,
    "wrong CRC": GOOD[:-1] + b"!",
    "two batches": GOOD + GOOD,
    "junk behind": GOOD + b"junk",
    "magic 3": GOOD[:16] + b"\3" + GOOD[17:],
    "magic 1": old(1, b"m"),
    "magic 0": old(0, b"m"),
    "zstd": batch(b"z", codec=Codec.ZSTD, timestamp=NOW),
    "lz4": batch(b"l", codec=Codec.LZ4, timestamp=NOW),
    "control": batch(b"x", control=True, timestamp=NOW),
    "transactional": batch(b"x", transactional=True, base_sequence=0, timestamp=NOW, **PRODUCER),
    "without sequence": batch(b"x", timestamp=NOW, **PRODUCER),
    "any first sequence": batch(
        b"x", producer_id=9999, producer_epoch=0, base_sequence=7, timestamp=NOW
    ),
    "too large": batch(b"x" * 1_100_000, timestamp=NOW),
    "base offset 5": struct.pack(">q", 5) + GOOD[8:],
}


@pytest.mark.parametrize("what", RECORDS)
def test_produce(pair: Pair, topic: str, what: str) -> None:
    pair.create(topic)
    pair.create(f"{topic}-compacted", cleanup_policy="compact")
    for version in (0, 2, 3, 6, 7, 9, 11):
        pair.produce(topic, RECORDS[what], version)
        pair.produce(f"{topic}-compacted", RECORDS[what], version)


def test_produce_to_odd_places(pair: Pair, filled: str) -> None:
    for acks in (2, -2, -1):
        pair.produce(filled, GOOD, acks=acks)
    pair.produce("nowhere", GOOD)
    pair.produce(filled, GOOD, index=5)


# -- offsets ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", range(10))
def test_list_offsets(pair: Pair, filled: str, version: int) -> None:
    pair.create(f"{filled}-empty")
    times = [0, NOW - 10_000, NOW - 9_999, NOW - 8_000, NOW - 5_000, NOW - 4_999, NOW, 2**63 - 1]
    for name in (filled, f"{filled}-empty"):
        for timestamp in [-6, -5, -4, -3, -2, -1, *(times if version else [])]:
            count = 1 if version else 5
            pair.both(look_up(name, timestamp, count=count), version)
    pair.both(look_up("nowhere", -1), version)
    pair.both(look_up(filled, -1, index=9), version)
    for replica in (-2, 0, 5):
        pair.both(look_up(filled, -1, replica=replica), version)
    for epoch in (0, 1, 5) if version >= 4 else ():
        pair.both(look_up(filled, -1, epoch=epoch), version)
    twice = look_up(filled, -1)
    twice.topics *= 2
    pair.both(twice, version)


@pytest.mark.parametrize("version", range(5))
def test_offset_for_leader_epoch(pair: Pair, filled: str, version: int) -> None:
    pair.create(f"{filled}-empty")

    def ask(name: str, epoch: int, index: int = 0, current: int = -1) -> Any:
        asked = OffsetForLeaderPartition(
            partition=index, leader_epoch=epoch, current_leader_epoch=current
        )
        topics = [OffsetForLeaderTopic(topic=name, partitions=[asked])]
        return OffsetForLeaderEpochRequest(replica_id=-1, topics=topics)

    for epoch in (-1, 0, 1, 5):
        pair.both(ask(filled, epoch), version)
        pair.both(ask(f"{filled}-empty", epoch), version)
    pair.both(ask("nowhere", 0), version)
    pair.both(ask(filled, 0, 9), version)
    for current in (0, 1) if version >= 2 else ():
        pair.both(ask(filled, 0, current=current), version)


@pytest.mark.parametrize("version", range(3))
def test_delete_records(pair: Pair, filled: str, version: int) -> None:
    pair.create(f"{filled}-compacted", cleanup_policy="compact")

    def delete(offset: int, name: str = filled, index: int = 0) -> DeleteRecordsRequest:
        asked = [DeleteRecordsPartition(partition_index=index, offset=offset)]
        topics = [DeleteRecordsTopic(name=name, partitions=asked)]
        return DeleteRecordsRequest(topics=topics, timeout_ms=60_000)

    for offset in (-3, -2, 100, 0, 2, 1, -1):
        pair.both(delete(offset), version)
        pair.both(look_up(filled, -2), 9)
        pair.both(look_up(filled, 0), 9)
    pair.both(delete(0, "nowhere"), version)
    pair.both(delete(0, index=9), version)
    pair.both(delete(0, f"{filled}-compacted"), version)


@pytest.mark.parametrize("version", range(6))
def test_init_producer_id_refusals(pair: Pair, version: int) -> None:
    pair.both(InitProducerIdRequest(transactional_id=""), version)
    too_long = InitProducerIdRequest(transactional_id="x", transaction_timeout_ms=10**9)
    pair.both(too_long, version)
    if version >= 3:
        pair.both(InitProducerIdRequest(transactional_id=None, producer_id=5), version)
        pair.both(InitProducerIdRequest(transactional_id=None, producer_epoch=5), version)


# -- fetch -----------------------------------------------------------------------------------------


def fetch(
    *wanted: tuple[str, int, int], version: int, each: dict[str, Any] | None = None, **head: Any
) -> Callable[[Link], FetchRequest]:
    """Makes the request for a link, which has topic ids of its own."""

    def make(link: Link) -> FetchRequest:
        topics = []
        for name, index, offset in wanted:
            part = FetchPartition(
                partition=index,
                fetch_offset=offset,
                **{"partition_max_bytes": 1 << 20, **(each or {})},
            )
            topic = FetchTopic(topic=name, partitions=[part])
            if version >= 13:
                topic = FetchTopic(topic_id=identity(link, name), partitions=[part])
            topics.append(topic)
        return FetchRequest(topics=topics, **{"max_wait_ms": 100, "min_bytes": 1, **head})

    return make


def identity(link: Link, name: str) -> bytes:
    for topic in link.ask(MetadataRequest(topics=None), 12).topics:
        if topic.name == name:
            return bytes(topic.topic_id)
    return b"9" * 16


def comparable(answer: Any) -> Any:
    """Without what differs by nature: ids, and the order of topics."""
    answer.session_id = min(answer.session_id, 1)
    answer.node_endpoints = []
    for topic in answer.responses:
        topic.topic_id = bytes(16)
        for each in topic.partitions:
            each.current_leader = None
            each.records = bytes(each.records or b"")
    answer.responses.sort(key=lambda t: (t.topic, [p.error_code for p in t.partitions]))
    return answer


@pytest.mark.parametrize("version", range(4, 18))
def test_fetch(pair: Pair, filled: str, version: int) -> None:
    pair.create(f"{filled}-empty")

    def same(*wanted: tuple[str, int, int], **rest: Any) -> None:
        pair.both(fetch(*wanted, version=version, **rest), version, comparable)

    for offset in (0, 1, 3, 4, 5, 6, 7, 100, -1):
        same((filled, 0, offset))
    for limit in (0, 1, 20, 100, 200):
        same((filled, 0, 1), each={"partition_max_bytes": limit})
        same((filled, 0, 1), (filled, 0, 0), max_bytes=limit)
    same(("nowhere", 0, 0))
    same(("nowhere", 0, 0), (f"{filled}-empty", 0, 0))
    same((filled, 9, 0))
    same((filled, 0, 0), isolation_level=1)
    same((f"{filled}-empty", 0, 0), isolation_level=1, max_wait_ms=0)
    same((filled, 0, 1), min_bytes=2**31 - 1)
    if version >= 7:
        same((filled, 0, 1), session_id=77, session_epoch=3)
        same((filled, 0, 1), session_id=0, session_epoch=0)
    for epoch in (0, 1, 9) if version >= 9 else ():
        same((filled, 0, 1), each={"current_leader_epoch": epoch})
    for epoch in (0, 1, 5) if version >= 12 else ():
        same((filled, 0, 2), each={"last_fetched_epoch": epoch})


@pytest.mark.parametrize("version", range(3, 18))
def test_fetch_of_what_some_clients_do_not_understand(pair: Pair, topic: str, version: int) -> None:
    pair.create(topic, compression_type="zstd")
    pair.create(f"{topic}-chosen")
    pair.create(f"{topic}-unconverted", message_downconversion_enable="false")
    pair.produce(f"{topic}-chosen", batch(b"x", codec=Codec.ZSTD, timestamp=NOW))
    pair.produce(f"{topic}-unconverted", batch(b"x", timestamp=NOW))
    names = [topic, f"{topic}-unconverted", *([f"{topic}-chosen"] if version >= 4 else [])]
    for name in names:
        pair.both(fetch((name, 0, 0), version=version), version, comparable)
