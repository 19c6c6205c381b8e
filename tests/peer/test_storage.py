"""Retention and moves between directories: Apache Kafka and our broker do the same to the files."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pykafka_ops.wire.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from pykafka_ops.wire.messages.describe_log_dirs import DescribeLogDirsRequest
from pykafka_ops.wire.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from tests.support.clients.confluent import ConfluentClient
from tests.support.differential.two_brokers import Link
from tests.support.memory.handler_site import batch
from tests.support.process.apache import ApacheBroker, ZooKeeper
from tests.support.process.broker import BrokerProcess
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow]
NOW = int(time.time() * 1000)
HOUR = 3_600_000
DAY = 24 * HOUR
VALUE = bytes(600)
"""One record of it makes a batch that, twice, does not fit into a segment of 1,000 bytes."""


class Side(NamedTuple):
    """One of the two brokers."""

    client: ConfluentClient
    link: Link
    dirs: tuple[Path, Path]

    def produce(self, topic: str, *ages: int) -> None:
        """A batch for each age (ms); each gets a segment of its own."""
        for age in ages:
            data = [
                PartitionProduceData(index=0, records=batch(VALUE, timestamp=NOW - age)),
            ]
            request = ProduceRequest(
                acks=-1,
                timeout_ms=60_000,
                topic_data=[TopicProduceData(name=topic, partition_data=data)],
            )
            answer = self.link.ask(request, 9)
            assert answer.responses[0].partition_responses[0].error_code == 0

    def files(self, topic: str) -> tuple[int, int, list[int]]:
        """Log start and end offset, base offsets of the segments on disk."""
        start, end = self.client.offsets(topic)
        found = [int(p.stem) for d in self.dirs for p in d.glob(f"{topic}-0/*.log")]
        return start, end, sorted(found)

    def directories(self, topic: str) -> list[Path]:
        """Every directory of the topic, whatever its state."""
        return [p for d in self.dirs for p in d.glob(f"{topic}-*")]

    def move(self, version: int, path: str, *topics: str) -> dict[str, int]:
        """Topic -> error of the request to move its partition 0 to ``path``."""
        wanted = [AlterReplicaLogDirTopic(name=t, partitions=[0]) for t in topics]
        request = AlterReplicaLogDirsRequest(dirs=[AlterReplicaLogDir(path=path, topics=wanted)])
        answer = self.link.ask(request, version)
        return {t.topic_name: t.partitions[0].error_code for t in answer.results}

    def homes(self, topic: str) -> list[tuple[int, int, bool]]:
        """(number of the directory, lag, whether a copy) of the replicas of partition 0."""
        answer: Any = self.link.ask(DescribeLogDirsRequest(topics=None), 4)
        paths = [str(d) for d in self.dirs]
        return sorted(
            (paths.index(r.log_dir), p.offset_lag, p.is_future_key)
            for r in answer.results
            for t in r.topics
            if t.name == topic
            for p in t.partitions
        )


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Side]]:
    """Both brokers, with two directories each and impatient retention."""
    root = tmp_path_factory.mktemp("storage")
    zookeeper = ZooKeeper(root / "zookeeper").start()
    settings = {
        "log.retention.check.interval.ms": 200,
        "log.initial.task.delay.ms": 200,
        "log.segment.delete.delay.ms": 100,
        "log.cleaner.backoff.ms": 200,
        "auto.create.topics.enable": "false",
    }
    dirs = [(root / f"{kind}-1", root / f"{kind}-2") for kind in ("apache", "pko")]
    paths = [{**settings, "log.dirs": ",".join(map(str, d))} for d in dirs]
    theirs = ApacheBroker(root / "apache", zookeeper, paths[0])
    ours = BrokerProcess(root / "pko", paths[1])
    try:
        theirs.start()
        ours.start()
        yield [
            Side(ConfluentClient(where), Link(where), d)
            for where, d in zip((theirs.bootstrap, ours.bootstrap), dirs, strict=True)
        ]
    finally:
        ours.close()
        theirs.close()
        zookeeper.close()


def create(sides: list[Side], topic: str, **config: object) -> None:
    given = {"segment.bytes": "1000", **{k.replace("_", "."): str(v) for k, v in config.items()}}
    for side in sides:
        side.client.create_topic(topic, 1, given)


def both_become(sides: list[Side], topic: str, start: int, end: int, segments: list[int]) -> None:
    for side in sides:
        wait_for(
            lambda side=side: side.files(topic) == (start, end, segments),  # type: ignore[misc]
            what=f"{(start, end, segments)}, not {side.files(topic)}, in {side.dirs[0].name}",
        )


OLD = (9 * DAY, 9 * DAY, 9 * DAY)
CASES: dict[str, tuple[dict[str, object], tuple[int, ...], tuple[int, int, list[int]]]] = {
    "by age": ({"retention_ms": DAY}, (*OLD, HOUR, 0), (3, 5, [3, 4])),
    "the active segment too": ({"retention_ms": DAY}, OLD, (3, 3, [3])),
    "an older one behind a younger": (
        {"retention_ms": DAY}, (9 * DAY, 0, 9 * DAY, 0), (1, 4, [1, 2, 3])
    ),
    "not before the future has come": ({"retention_ms": DAY}, (-DAY, *OLD), (0, 4, [0, 1, 2, 3])),
    "by size": ({"retention_bytes": 1500}, (0, 0, 0, 0), (1, 4, [1, 2, 3])),
    "by size and age": (
        {"retention_bytes": 1500, "retention_ms": DAY}, (0, 0, 9 * DAY, 0, 0), (3, 5, [3, 4])
    ),
    "size of nothing": ({"retention_bytes": 0}, (0, 0), (2, 2, [2])),
    "for ever": ({"retention_ms": -1, "retention_bytes": -1}, OLD, (0, 3, [0, 1, 2])),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_retention(sides: list[Side], topic: str, name: str) -> None:
    config, ages, expected = CASES[name]
    create(sides, topic, **config)
    for side in sides:
        side.produce(topic, *ages)
    both_become(sides, topic, *expected)


def test_retention_follows_changed_settings(sides: list[Side], topic: str) -> None:
    create(sides, topic, retention_ms=-1)
    for side in sides:
        side.produce(topic, *OLD, 2 * HOUR, 0, 0, 0)
    both_become(sides, topic, 0, 7, list(range(7)))
    for side in sides:
        side.client.set_topic_configs(topic, {"retention.ms": str(DAY)})
    both_become(sides, topic, 3, 7, [3, 4, 5, 6])
    for side in sides:
        side.client.set_topic_configs(topic, {"retention.bytes": "1400"})
    both_become(sides, topic, 4, 7, [4, 5, 6])


def test_segments_that_end_below_a_deleted_offset_go(sides: list[Side], topic: str) -> None:
    create(sides, topic, retention_ms=-1)
    for side in sides:
        side.produce(topic, 0, 0, 0, 0)
        assert side.client.delete_records(topic, 2) == 2
    both_become(sides, topic, 2, 4, [2, 3])


def test_a_log_that_is_compacted_and_deleted_is_also_cut_by_age(
    sides: list[Side], topic: str
) -> None:
    create(
        sides,
        topic,
        cleanup_policy="compact,delete",
        retention_ms=DAY,
        min_compaction_lag_ms=90 * DAY,
    )
    for side in sides:
        side.produce(topic, *OLD, 0)
    for side in sides:
        wait_for(
            lambda side=side: side.client.offsets(topic) == (3, 4),  # type: ignore[misc]
            what=f"retention in {side.dirs[0].name}",
        )


def test_segments_roll_by_the_age_of_their_records(sides: list[Side], topic: str) -> None:
    create(sides, topic, retention_ms=-1, segment_bytes=100_000, segment_ms=HOUR)
    for side in sides:
        side.produce(topic, 9 * HOUR, 8 * HOUR, 8 * HOUR - 1, 7 * HOUR + 1, 9 * HOUR, 0)
    both_become(sides, topic, 0, 6, [0, 2, 5])


def test_a_replica_moves_to_the_other_directory(sides: list[Side], topic: str) -> None:
    create(sides, topic, retention_ms=-1)
    for side in sides:
        side.produce(topic, 3, 2, 1)
        side.client.delete_records(topic, 1)
        home = side.homes(topic)[0][0]
        assert side.homes(topic) == [(home, 0, False)]
        other = str(side.dirs[1 - home])
        assert side.move(2, other, topic) == {topic: 0}
        wait_for(
            lambda side=side, home=home: side.homes(topic) == [(1 - home, 0, False)],  # type: ignore[misc]
            what=f"the move in {side.dirs[0].name}",
        )
        side.produce(topic, 0)
        assert side.client.offsets(topic) == (1, 4)
        assert [len(f.message.value or b"") for f in side.client.consume(topic, 3, start=1)] == [
            600
        ] * 3
        wait_for(
            lambda side=side: len(side.directories(topic)) == 1,  # type: ignore[misc]
            what="the removal of the old replica",
        )


@pytest.mark.parametrize("version", [0, 1, 2])
def test_moves_that_cannot_be(sides: list[Side], topic: str, version: int) -> None:
    create(sides, topic)
    answers = []
    for side in sides:
        here = str(side.dirs[side.homes(topic)[0][0]])
        answers.append(
            [
                side.move(version, "/nowhere", topic),
                side.move(version, f"{here}/", topic),
                side.move(version, here, topic),
                side.move(version, here, "no-such-topic"),
            ]
        )
    assert answers[1] == answers[0]
