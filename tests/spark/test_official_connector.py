"""Spark's own ``kafka`` source and ours over the same topics give the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import confluent_kafka as ck
import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from tests.support.java import java_kit
from tests.support.process.broker import BrokerProcess

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TOPIC = "both.ways"
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")


@pytest.fixture(scope="module")
def kafka(spark: SparkSession) -> SparkSession:
    """The session, which knows the official connector, too."""
    try:
        jars = java_kit.connector_jars()
    except java_kit.JavaMissingError as e:
        pytest.skip(str(e))
    for jar in jars:
        spark.sql(f"ADD JAR '{jar}'")
    return spark


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    small = {"log.segment.bytes": 20_000, "log.index.interval.bytes": 500}
    overrides = {**small, "log.retention.ms": -1}
    started = BrokerProcess(tmp_path_factory.mktemp("both") / "data", overrides).start()
    try:
        fill(started.bootstrap)
        assert len(list(started.data_dir.glob(f"{TOPIC}-*/*.log"))) > 3, "one segment each"
        yield started
    finally:
        started.close()


def fill(bootstrap: str) -> None:
    """Every codec, nulls, headers, transactions that commit and that abort."""
    admin = AdminClient({"bootstrap.servers": bootstrap})
    admin.create_topics([NewTopic(TOPIC, 3, 1)])[TOPIC].result(120)
    for codec in CODECS:
        producer = ck.Producer({"bootstrap.servers": bootstrap, "compression.type": codec})
        send(producer, codec, 400)
        assert producer.flush(120) == 0
    writer = ck.Producer({"bootstrap.servers": bootstrap, "transactional.id": "both"})
    writer.init_transactions(120)
    for step in range(6):
        writer.begin_transaction()
        send(writer, f"step{step}", 20)
        writer.flush(120)
        (writer.abort_transaction if step % 2 else writer.commit_transaction)(120)
    send_plain = ck.Producer({"bootstrap.servers": bootstrap})
    send(send_plain, "after", 5)
    assert send_plain.flush(120) == 0


def send(producer: ck.Producer, name: str, count: int) -> None:
    for n in range(count):
        producer.produce(
            TOPIC,
            key=None if n % 7 == 0 else f"{name}-{n % 11}".encode(),
            value=None if n % 13 == 0 else f"{name}:{n}:".encode() * (n % 9),
            headers=[("größe", b"%d" % n), ("none", None)] if n % 5 == 0 else None,
            partition=n % 3,
            timestamp=1_700_000_000_000 + n,
        )


def rows(frame: DataFrame) -> list[str]:
    return sorted(repr(row) for row in frame.collect())


@pytest.mark.parametrize(
    "options",
    [
        {"includeHeaders": "true"},
        {"kafka.isolation.level": "read_committed"},
        {
            "startingOffsets": f'{{"{TOPIC}": {{"0": 300, "1": -2, "2": 17}}}}',
            "endingOffsets": f'{{"{TOPIC}": {{"0": 555, "1": 10, "2": -1}}}}',
        },
        {"startingTimestamp": "1700000000200", "endingTimestamp": "1700000000390"},
    ],
    ids=["all", "committed", "offsets", "timestamps"],
)
def test_rows_are_those_of_the_official_connector(
    kafka: SparkSession, broker: BrokerProcess, options: dict[str, Any]
) -> None:
    common = {"subscribe": TOPIC, **options}
    theirs = (
        kafka.read.format("kafka")
        .options(**{"kafka.bootstrap.servers": broker.bootstrap}, **common)
        .load()
    )
    ours = kafka.read.format("kafka-log").options(mode="records", **common)
    found = ours.option("maxBytesPerPartition", "30000").load(str(broker.data_dir))
    assert found.schema.simpleString() == theirs.schema.simpleString()
    expected = rows(theirs)
    assert expected
    assert rows(found) == expected
