"""kafka-get-offsets, -delete-records, -log-dirs, -broker-api-versions: the transcripts' rows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Producer

from tests.cli.conftest import Brokers
from tests.support.golden.transcripts import (
    Entry,
    Said,
    differences,
    entries,
    first_error,
    other_error,
    replay,
)
from tests.support.golden.transcripts import run_patiently as run

pytestmark = [pytest.mark.java, pytest.mark.slow]
MINUTE = 60_000
EPOCH = 1_700_000_000_000
NEVER_MADE = re.compile(r"^(__consumer_offsets:.*|bookings:.*|trades:.*|matches:.*)$")
WIDE = {"views": "0:1,1:2,2:0", "orders": "0:1"}


def fill(brokers: Brokers, topic: str, assignment: str, count: int, step: int = MINUTE) -> None:
    """A topic of its own with ``count`` records, round robin, timestamps ``step`` ms apart.

    The timestamps are years old: without retention.ms=-1 they live until the first retention run.
    """
    create = ("--create", "--topic", topic, "--replica-assignment", assignment)
    create += ("--config", "retention.ms=-1")
    assert run("kafka-topics", "--bootstrap-server", brokers.bootstrap, *create).code == 0
    partitions = assignment.count(",") + 1
    producer = Producer({"bootstrap.servers": brokers.bootstrap})
    for i in range(count):
        where = 0 if step < 0 else i % partitions
        producer.produce(topic, b"v", partition=where, timestamp=EPOCH + step * i)
    assert producer.flush(120) == 0


@pytest.fixture(scope="module")
def filled(target_brokers: Brokers) -> Iterator[Brokers]:
    """The topics that the transcripts look at."""
    brokers = target_brokers
    fill(brokers, "odds", ",".join(str(i % 3) for i in range(11)), 99)
    fill(brokers, "telemetry.v2", "0,1", 10, -MINUTE)
    fill(brokers, "views", WIDE["views"], 60)
    fill(brokers, "orders", WIDE["orders"], 20)
    brokers.wait_live(0, 1, 2)
    yield brokers


def compare(entry: Entry, said: Said) -> list[str]:
    """What differs, in words; rows as sets."""
    wanted = sorted(x for x in entry.stdout.splitlines() if not NEVER_MADE.match(x))
    got = sorted(x for x in said.stdout.splitlines() if not NEVER_MADE.match(x))
    return differences(entry, said, wanted, got) + other_error(entry, said)


def test_offsets_are_those_of_the_transcript(
    filled: Brokers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    wrong: list[str] = []
    for entry in entries("get-offsets"):
        internal = any("__" in word for word in entry.argv)
        if not entry.step and not (internal and entry.code == 0):
            said = replay(entry, filled.bootstrap)
            said.stdout = "".join(
                x for x in said.stdout.splitlines(True) if not x.startswith(("views", "orders"))
            )
            wrong += compare(entry, said)
    assert not wrong, "\n".join(wrong)


def test_log_dirs_have_the_shape_of_the_transcript(
    filled: Brokers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for entry in entries("log-dirs"):
        said = replay(entry, filled.bootstrap)
        assert said.code == entry.code, entry
        if entry.code:
            assert first_error(said.stderr) == first_error(entry.stderr), entry
            continue
        wanted, got = entry.stdout.splitlines(), said.stdout.splitlines()
        assert got[:2] == wanted[:2], entry
        assert shape(got[2]) == shape(wanted[2]), entry


def shape(text: str) -> tuple[list[str], set[tuple[str, ...]]]:
    """Keys in their order, and which of the transcript's partitions lie on which broker."""
    data = json.loads(text)
    keys = [*data, *data["brokers"][0], *data["brokers"][0]["logDirs"][0]]
    replicas = set()
    for broker in data["brokers"]:
        for directory in broker["logDirs"]:
            assert directory["error"] is None
            for p in directory["partitions"]:
                assert list(p) == ["partition", "size", "offsetLag", "isFuture"]
                if re.match(r"(views|orders)-", p["partition"]):
                    replicas.add((str(broker["broker"]), p["partition"]))
    return keys, replicas


def test_records_are_deleted_as_in_the_transcript(
    filled: Brokers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    wrong: list[str] = []
    for entry in entries("delete-records"):
        wrong += compare(entry, replay(entry, filled.bootstrap))
    assert not wrong, "\n".join(wrong)


def test_every_broker_tells_the_versions_of_the_transcript(target_brokers: Brokers) -> None:
    for entry in entries("broker-api-versions"):
        if "127.0.0.1:1" in entry.argv:
            continue
        said = replay(entry, target_brokers.bootstrap)
        assert said.code == entry.code, entry
        if entry.code:
            continue
        assert blocks(said.stdout) == blocks(entry.stdout)


def blocks(text: str) -> list[list[str]]:
    """The lines of each broker, without its port."""
    return sorted(re.sub(r"127\.0\.0\.1:\d+", "HOST", b).splitlines() for b in text.split("\n)\n"))
