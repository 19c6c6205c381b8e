"""``kafka-live`` says what other clients of the same cluster say: ours, and Apache Kafka."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from pykafka_ops.errors import ConnectError, PkoError, UsageError
from pykafka_ops.spark import schemas
from pykafka_ops.spark.failures import explained
from pykafka_ops.spark.sources.live.source import KafkaLive
from tests.conftest import Broker
from tests.support.process.commands import pko
from tests.support.spark.frames import Row, frame, rows, run_stream
from tests.support.waiting import free_port

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COUNT = 60
NEWEST = 1_700_000_000_000
NOTE = "note\0"
"""With librdkafka's end of a text in C."""


class Site:
    """A topic of two partitions with a record a minute, and a group that read some of it."""

    def __init__(self, broker: Broker, topic: str) -> None:
        self.bootstrap = broker.bootstrap
        self.topic, self.group = topic, f"group-of-{topic}"
        self.data_dir = broker.data_dir
        said = pko("topics", "create", self.topic, "-p", "2", "-c", "retention.ms=-1", "-b",
                   self.bootstrap)  # fmt: skip
        assert said.code == 0, said
        self.fill("lz4", 0, COUNT)

    def fill(self, codec: str, first: int, last: int) -> None:
        producer = Producer({"bootstrap.servers": self.bootstrap, "compression.type": codec})
        for n in range(first, last):
            producer.produce(
                self.topic,
                b"v%d" % n if n % 5 else None,
                key=b"k%d" % n if n % 3 else None,
                partition=n % 2,
                timestamp=NEWEST - (COUNT - 1 - n) * 60_000,
                headers=[("h", b"%d" % n)] if n % 4 == 0 else None,
            )
        assert producer.flush(120) == 0

    def commit(self, *offsets: int) -> None:
        consumer = Consumer({"bootstrap.servers": self.bootstrap, "group.id": self.group})
        places = [TopicPartition(self.topic, p, o, "note") for p, o in enumerate(offsets)]
        consumer.commit(offsets=places, asynchronous=False)
        consumer.close()

    def consumed(self, **more: str) -> list[Row]:
        """Every record as confluent-kafka reads it, in the columns of the source."""
        consumer = Consumer({"bootstrap.servers": self.bootstrap, "group.id": "unused",
                             "enable.partition.eof": True, **more})  # fmt: skip
        consumer.assign([TopicPartition(self.topic, p, 0) for p in (0, 1)])
        found: list[Row] = []
        ends, deadline = 0, time.monotonic() + 120
        while ends < 2 and time.monotonic() < deadline:
            for message in consumer.consume(100, 1):
                if message.error():
                    ends += 1
                    continue
                found.append((message.key(), message.value(), message.topic(),
                              message.partition(), message.offset(), message.timestamp()[1],
                              message.timestamp()[0] - 1))  # fmt: skip
        consumer.close()
        assert ends == 2
        return sorted(found, key=lambda row: row[3:5])


@pytest.fixture(scope="module")
def site(pko_session: Broker) -> Site:
    made = Site(pko_session, "live-pko")
    made.commit(10, 30)
    return made


@pytest.fixture(scope="module")
def apaches(apache_session: Broker) -> Site:
    made = Site(apache_session, "live-apache")
    made.commit(10, 30)
    return made


@pytest.fixture(params=["site", "apaches"])
def either(request: pytest.FixtureRequest) -> Site:
    """The same on our broker and on Apache Kafka."""
    found: Site = request.getfixturevalue(request.param)
    return found


def live(spark: SparkSession, site: Site, what: str, **options: object) -> DataFrame:
    if what not in ("brokers", "committed", "groups", "times"):
        options.setdefault("subscribe", site.topic)
    return frame(spark, "kafka-live", site.bootstrap, what=what, **options)


def test_tables_tell_what_the_cluster_is(spark: SparkSession, either: Site) -> None:
    host, port = either.bootstrap.split(":")
    half = COUNT // 2
    assert rows(live(spark, either, "brokers")) == [(0, host, int(port), None, True)]
    assert rows(live(spark, either, "partitions")) == [
        (either.topic, 0, 0, (0,), (0,), 0, half, NEWEST - 60_000),
        (either.topic, 1, 0, (0,), (0,), 0, half, NEWEST),
    ]
    dirs = rows(live(spark, either, "log_dirs").where("topic is not null"))
    sizes = [
        sum(p.stat().st_size for p in (either.data_dir / f"{either.topic}-{n}").glob("*.log"))
        for n in (0, 1)
    ]
    assert [(*row[:1], *row[2:7]) for row in dirs] == [
        (0, either.topic, n, size, 0, False) for n, size in enumerate(sizes)
    ]
    assert all(0 < row[8] < row[7] for row in dirs)
    configs = live(spark, either, "configs", names="retention.ms,cleanup.policy")
    assert rows(configs) == [
        (either.topic, "cleanup.policy", "delete", "DEFAULT_CONFIG"),
        (either.topic, "retention.ms", "-1", "DYNAMIC_TOPIC_CONFIG"),
    ]
    moments = f"{NEWEST - 120_000},{NEWEST - 60_000},{NEWEST + 1}"
    at = {row[1:] for row in rows(live(spark, either, "ends", times=moments))}
    assert at == {
        (0, NEWEST - 120_000, half - 1), (0, NEWEST - 60_000, half - 1), (0, NEWEST + 1, half),
        (1, NEWEST - 120_000, half - 2), (1, NEWEST - 60_000, half - 1), (1, NEWEST + 1, half),
    }  # fmt: skip


def test_groups_are_told_with_offsets_and_the_times_there(
    spark: SparkSession, either: Site
) -> None:
    mine = {"groups": either.group}
    assert rows(live(spark, either, "committed", **mine)) == [
        (either.group, either.topic, 0, 10, None, NOTE),
        (either.group, either.topic, 1, 30, None, NOTE),
    ]
    first = NEWEST - (COUNT - 1 - 20) * 60_000
    assert rows(live(spark, either, "times", **mine)) == [(either.topic, 0, 10, first)]
    assert rows(live(spark, either, "groups", **mine)) == [
        (either.group, "Empty", None, None, None, None, None)
    ]


def test_records_are_those_a_consumer_reads(spark: SparkSession, either: Site) -> None:
    wanted = either.consumed()
    assert len(wanted) == COUNT
    found = rows(live(spark, either, "records"))
    assert sorted(found, key=lambda row: row[3:5]) == wanted
    split = live(spark, either, "records", minPartitions=7)
    assert split.rdd.getNumPartitions() >= 7
    assert sorted(rows(split), key=lambda row: row[3:5]) == wanted


def test_options_choose_columns_offsets_and_times(spark: SparkSession, site: Site) -> None:
    narrow = schemas.struct(schemas.columns("offset bigint, partition int, key_size int"))
    start, end = {site.topic: {"0": 3, "1": -2}}, {site.topic: {"0": -1, "1": 2}}
    options = {"startingOffsets": json.dumps(start), "endingOffsets": json.dumps(end)}
    found = rows(frame(spark, "kafka-live", site.bootstrap, narrow, what="records",
                       subscribePattern=f"{site.topic}.*", **options))  # fmt: skip
    sizes = {(row[4], row[3], None if row[0] is None else len(row[0])) for row in site.consumed()}
    assert set(found) == {
        row for row in sizes if (row[1] == 0 and row[0] >= 3) or (row[1] == 1 and row[0] < 2)
    }
    late = live(spark, site, "records", startingTimestamp=NEWEST - 60_000, assign="",
                endingTimestamp=NEWEST, includeHeaders="true")  # fmt: skip
    assert [(r.offset, r.partition, r.headers) for r in late.collect()] == [(29, 0, None)]
    headed = live(spark, site, "records", includeHeaders="true").where("headers is not null")
    assert {r.headers[0].value for r in headed.collect()} == {b"%d" % n for n in range(0, COUNT, 4)}
    assert live(spark, site, "records").count() == COUNT


def test_transactions_count_when_they_are_committed(
    spark: SparkSession, pko_session: Broker, topic: str
) -> None:
    producer = Producer({"bootstrap.servers": pko_session.bootstrap, "transactional.id": topic})
    producer.init_transactions(120)
    for n, good in enumerate((True, False, True)):
        producer.begin_transaction()
        producer.produce(topic, b"%d" % n, partition=0)
        producer.flush(120)
        if good:
            producer.commit_transaction(120)
        else:
            producer.abort_transaction(120)
    everything = frame(spark, "kafka-live", pko_session.bootstrap, what="records", subscribe=topic)
    assert [r.value for r in everything.collect()] == [b"0", b"1", b"2"]
    committed = frame(spark, "kafka-live", pko_session.bootstrap, what="records", subscribe=topic,
                      kafka_isolation_level="read_committed")  # fmt: skip
    assert [r.value for r in committed.collect()] == [b"0", b"2"]


def test_a_stream_goes_on_where_its_checkpoint_says(
    spark: SparkSession, pko_session: Broker, topic: str, tmp_path: Path
) -> None:
    site = Site(pko_session, topic)
    options: dict[str, Any] = {"what": "records", "subscribe": site.topic,
                               "startingOffsets": "earliest"}  # fmt: skip
    held = len(site.consumed())
    run_stream(spark, "kafka-live", site.bootstrap, tmp_path, maxOffsetsPerTrigger=50, **options)
    site.fill("none", COUNT, COUNT + 20)
    batches = run_stream(spark, "kafka-live", site.bootstrap, tmp_path, maxOffsetsPerTrigger=9,
                         **options)  # fmt: skip
    assert batches >= 2
    found = rows(spark.read.parquet(str(tmp_path / "out")))
    assert sorted(found, key=lambda row: row[3:5]) == site.consumed()
    assert len(found) == held + 20


def test_ends_are_told_once_for_every_moment(
    spark: SparkSession, site: Site, tmp_path: Path
) -> None:
    since = int(time.time() * 1000) - 3000
    options = {"what": "ends", "subscribe": site.topic, "interval": 1000, "since": since}
    for _ in range(2):
        run_stream(spark, "kafka-live", site.bootstrap, tmp_path, **options)
    found = rows(spark.read.parquet(str(tmp_path / "out")))
    moments = sorted({row[2] for row in found})
    assert len(found) == 2 * len(moments)
    assert moments == list(range(moments[0], moments[-1] + 1, 1000))
    assert moments[0] - since < 1000 < len(moments) * 1000 - 2000


WRONG: list[tuple[dict[str, str], type[PkoError], str]] = [
    ({"what": "all"}, UsageError, "option what=all: not one of partitions, brokers"),
    ({"what": "records"}, UsageError, "exactly one of subscribe, subscribePattern and assign"),
    ({"what": "records", "subscribe": "gone"}, PkoError, "topic gone is not there"),
    (
        {"what": "records", "subscribe": "live-pko", "startingOffsets": "latest"},
        UsageError,
        "option startingOffsets: latest",
    ),
    (
        {"what": "records", "subscribe": "live-pko", "startingOffsets": '{"x":{"0":1}}'},
        UsageError,
        "option startingOffsets: live-pko-0 is missing",
    ),
    (
        {"what": "records", "subscribe": "live-pko", "startingTimestamp": str(NEWEST * 2)},
        PkoError,
        "no record from",
    ),
    (
        {"kafka.sasl.mechanism": "DIGEST-MD5", "kafka.security.protocol": "SASL_PLAINTEXT"},
        UsageError,
        "DIGEST-MD5 is not supported",
    ),
]


@pytest.mark.parametrize(("options", "kind", "said"), WRONG)
def test_what_cannot_be_read_is_said_in_one_line(
    site: Site, options: dict[str, str], kind: type[PkoError], said: str
) -> None:
    with pytest.raises(kind) as caught:
        source = KafkaLive({"kafka.bootstrap.servers": site.bootstrap, **options})
        reader = source.reader(source.schema())
        for part in reader.partitions():
            list(reader.read(part))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_cluster_that_does_not_answer_is_named(spark: SparkSession) -> None:
    nobody = f"127.0.0.1:{free_port()}"
    with pytest.raises(Exception) as caught:
        frame(spark, "kafka-live", nobody, kafka_default_api_timeout_ms=500).collect()
    error = explained(caught.value)
    assert isinstance(error, ConnectError)
    assert f"cluster at {nobody}" in str(error)


def test_columns_that_are_not_there_are_refused(spark: SparkSession, site: Site) -> None:
    with pytest.raises(Exception) as caught:
        frame(spark, "kafka-live", site.bootstrap, "color string").collect()
    assert "kafka-live has no column color: it has topic, partition" in str(explained(caught.value))
