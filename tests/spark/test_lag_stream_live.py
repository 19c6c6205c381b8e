"""A lag stream on a running broker, stopped in the middle and started again."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from pykafka_ops.spark.reports.lag.stream import LagStream, parquet
from tests.support.process.broker import BrokerProcess
from tests.support.process.commands import pko
from tests.support.waiting import wait_for

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

WIDTH = 2000
TOPIC, GROUP = "lag-stream", "lag-stream-readers"
PATIENCE = 150


class Site:
    """A topic of one partition, its one reader, and the stream about it."""

    def __init__(self, spark: SparkSession, broker: BrokerProcess, root: Path) -> None:
        self.spark, self.out = spark, root / "windows"
        servers = {"bootstrap.servers": broker.bootstrap}
        self.producer = Producer(servers)
        self.consumer = Consumer({**servers, "group.id": GROUP})
        self.written = self.commits = 0
        options = {
            "kafka.bootstrap.servers": broker.bootstrap,
            "subscribe": TOPIC,
            "topics": TOPIC,
            "groups": GROUP,
            # The first window begins at a border: at one that has gone by, so that every commit is
            # in a window however soon it comes.
            "since": str(int(time.time() * 1000) - WIDTH),
        }
        self.query: StreamingQuery | None = None
        self.stream = LagStream(options, str(root / "checkpoint"), WIDTH, 500)

    def start(self) -> StreamingQuery:
        self.query = self.stream.start(self.spark, parquet(str(self.out)))
        return self.query

    def commit(self) -> None:
        """Ten records more, and a commit three records behind them."""
        for _ in range(10):
            self.producer.produce(TOPIC, b"v", partition=0)
        assert self.producer.flush(120) == 0
        self.written += 10
        places = [TopicPartition(TOPIC, 0, self.written - 3)]
        self.consumer.commit(offsets=places, asynchronous=False)
        self.commits += 1

    def windows(self) -> list[dict[str, Any]]:
        """Those of whole micro-batches, in order; a batch may be written anew while we read."""
        found: list[dict[str, Any]] = []
        for mark in self.out.glob("batch=*/_SUCCESS"):
            with contextlib.suppress(FileNotFoundError):
                found += [
                    row
                    for path in mark.parent.glob("*.parquet")
                    for row in pq.ParquetFile(path).read().to_pylist()
                ]
        return sorted(found, key=lambda row: row["start"])

    def told(self) -> bool:
        """Whether every commit is in a window that was told. Raises what ended the query."""
        if self.query is not None and (problem := self.query.exception()) is not None:
            raise problem
        return bool(sum(row["commits"] for row in self.windows()) >= self.commits)


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[BrokerProcess]:
    """A broker whose commits are all those of the test: a stream reads every one."""
    made = BrokerProcess(tmp_path / "data", {"offsets.topic.num.partitions": 1}).start()
    yield made
    made.close()


def test_no_window_is_lost_or_told_twice_over_a_restart(
    spark: SparkSession, alone: BrokerProcess, tmp_path: Path
) -> None:
    said = pko("topics", "create", TOPIC, "-p", "1", "-b", alone.bootstrap)
    assert said.code == 0, said
    site = Site(spark, alone, tmp_path)
    query = site.start()
    site.commit()
    wait_for(site.told, seconds=PATIENCE, what="the first commit in a window")
    site.commit()
    query.stop()  # whatever it is doing
    site.commit()
    query = site.start()
    site.commit()
    wait_for(site.told, seconds=PATIENCE, what="all commits in windows")
    query.stop()
    site.consumer.close()
    rows = site.windows()
    starts = [round(row["start"].timestamp() * 1000) for row in rows]
    assert starts == list(range(starts[0], starts[0] + WIDTH * len(starts), WIDTH))
    assert sum(row["commits"] for row in rows) == 4
    assert [row["committed"] for row in rows if row["commits"]][-1] == 37
    assert (rows[-1]["log_end"], rows[-1]["lag"]) == (40, 3)
    assert sum(row["moved"] for row in rows) == 30
    assert all(row["lag"] == max(0, row["log_end"] - row["committed"]) for row in rows)
