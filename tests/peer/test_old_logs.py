"""Logs of every format, as Apache Kafka wrote them since 0.8: old and new consumers get the same
bytes from our broker as from Apache Kafka, converted down where they must be."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.disk.batch import next_batch_size
from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from pykafka_ops.wire.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from tests.support.differential.core import Case, Side
from tests.support.differential.plain import differences
from tests.support.golden.segments import CASES, SEGMENTS
from tests.support.process.apache import ApacheBroker, ZooKeeper
from tests.support.process.broker import BrokerProcess
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow]

LOGS = [name for name in CASES if name.startswith(("v0", "v1", "v2", "upgraded"))]
VERSIONS = (0, 1, 2, 3, 4, 9, 10, 11)
MASKS = ("crc", "payload", "fetch_session_id", "session_id", "throttle_time_ms")
SETTINGS = {
    "log.segment.bytes": 1 << 14,
    "log.retention.ms": -1,
    "log.cleaner.enable": "false",
    "controlled.shutdown.enable": "false",
}
Sides = tuple[Side, Side]


def nothing(side: Side, version: int) -> None:
    """A case runs by itself here."""


def side_of(bootstrap: str) -> Side:
    return Side(bootstrap, "old", Case(ApiKey.FETCH, 0, "logs", nothing))


def create(bootstrap: str) -> None:
    side = side_of(bootstrap)
    for name in LOGS:
        side.create(name)
    side.close()


def swap(data_dir: Path, names: Side) -> None:
    """Put the golden files in the place of the empty logs, as after an unclean stop."""
    for name in LOGS:
        target = data_dir / f"{names.topic(name)}-0"
        kept = (target / "partition.metadata").read_bytes()
        shutil.rmtree(target)
        shutil.copytree(SEGMENTS / name, target)
        for path in target.iterdir():
            path.chmod(0o644)
        (target / "partition.metadata").write_bytes(kept)
    for left in (".kafka_cleanshutdown", "recovery-point-offset-checkpoint"):
        (data_dir / left).unlink(missing_ok=True)


def serving(side: Side) -> bool:
    """Whether the last log has a leader that answers."""
    return all(fetch(side, name, 11, 0) is not None for name in (LOGS[0], LOGS[-1]))


def fetch(side: Side, name: str, version: int, offset: int, size: int = 1 << 20) -> object:
    part = FetchPartition(partition=0, fetch_offset=offset, partition_max_bytes=size)
    topics = [FetchTopic(topic=side.topic(name), partitions=[part])]
    note = f"{name} v{version} at {offset} up to {size}"
    request = FetchRequest(max_wait_ms=0, min_bytes=0, max_bytes=1 << 24, topics=topics)
    answer = side.ask(request, version, note)
    found = answer.responses[0].partitions[0] if answer and answer.responses else None
    return found if found is not None and found.error_code in (0, 1) else None


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sides]:
    """Both brokers with all golden logs."""
    directory = tmp_path_factory.mktemp("old")
    zookeeper = ZooKeeper(directory).start()
    ours = BrokerProcess(directory / "ours", SETTINGS)
    theirs = ApacheBroker(directory / "theirs", zookeeper, SETTINGS)
    try:
        made = []
        for broker in (ours, theirs):
            broker.start()
            create(broker.bootstrap)
            broker.stop()
            swap(broker.data_dir, side_of(broker.bootstrap))
            broker.start()
            side = side_of(broker.bootstrap)
            wait_for(lambda side=side: serving(side))  # type: ignore[misc]
            side.steps.clear()
            made.append(side)
        yield made[0], made[1]
    finally:
        ours.close()
        theirs.close()
        zookeeper.close()


def compare(sides: Sides) -> list[str]:
    """What the answers since the last time differ in."""
    pairs = list(zip(sides[0].steps, sides[1].steps, strict=True))
    for side in sides:
        side.steps = []
    found = [d for mine, other in pairs for d in differences(mine.note, mine.data, other.data)]
    return [str(d) for d in found if d.path.rpartition("/")[2] not in MASKS]


def compare_converted(sides: Sides) -> list[str]:
    """As :func:`compare`, for answers that may be converted down.

    Kafka cuts what has grown at the size that it had, fills up what has shrunk with the start of a
    message that has no end, sends nothing where the limit cuts the first one, and repeats what
    stands before batches of which nothing is left; ours sends what it has converted, once, or the
    start of a message. The whole messages must be the same.
    """
    wrong = []
    for mine, other in zip(sides[0].steps, sides[1].steps, strict=True):
        (code, ours), (their_code, theirs) = whole_messages(mine.data), whole_messages(other.data)
        if code != their_code or ours[: len(theirs)] != theirs or (ours and not theirs):
            wrong.append(f"{mine.note}: {str(ours)[:300]} / {str(theirs)[:300]}")
    for side in sides:
        side.steps = []
    return wrong


def whole_messages(data: Any) -> tuple[int, list[dict[str, Any]]]:
    """The error code of the one partition in an answer, and its whole messages."""
    (topic,) = data["responses"]
    (partition,) = topic["partitions"]
    found = partition["records"] or []
    whole = {r["offset"]: r for r in found if "cut" not in r}
    kept = [{k: v for k, v in r.items() if k not in MASKS} for r in whole.values()]
    return partition["error_code"], kept


def offsets(name: str) -> list[int]:
    """The first offsets of some batches, one in the middle of one, one near the end."""
    data = b"".join(path.read_bytes() for path in sorted((SEGMENTS / name).glob("*.log")))
    at, bases = 0, [0]
    while (size := next_batch_size(data[at:])) is not None:
        bases.append(int.from_bytes(data[at : at + 8], "big"))
        at += size
    return sorted({0, 1, bases[len(bases) // 2], bases[len(bases) // 2] + 1, bases[-1]})


@pytest.mark.parametrize("version", VERSIONS)
def test_consumers_of_every_age_get_the_same(sides: Sides, version: int) -> None:
    for side in sides:
        for name in LOGS:
            for offset in offsets(name):
                fetch(side, name, version, offset)
            for size in (100, 700):
                fetch(side, name, version, 0, size)
    assert (compare if version > 3 else compare_converted)(sides) == []


@pytest.mark.parametrize("version", [1, 4, 7])
def test_offsets_are_found_by_time(sides: Sides, version: int) -> None:
    times = (-1, -2, 0, 1_600_000_000_000, 1_700_000_000_000, 2**62)
    for side in sides:
        for name in LOGS:
            for time in times:
                part = ListOffsetsPartition(partition_index=0, timestamp=time)
                topics = [ListOffsetsTopic(name=side.topic(name), partitions=[part])]
                request = ListOffsetsRequest(replica_id=-1, topics=topics)
                side.ask(request, version, f"{name} v{version} at time {time}")
    assert compare(sides) == []
