"""kafka-get-offsets, -log-dirs, -leader-election and other tools: the transcripts' rows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Producer

from pykafka_ops.client.elections import PREFERRED, elect_leaders
from pykafka_ops.client.reassignments import alter_reassignments, list_reassignments
from tests.cli.conftest import Brokers
from tests.support.apache import run_tool
from tests.support.transcripts import Entry, Said, entries, first_error, replay, run
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(300)]
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
    assert producer.flush(30) == 0


@pytest.fixture(scope="module")
def filled(brokers: Brokers) -> Iterator[Brokers]:
    """The topics that the transcripts look at."""
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
    found = []
    if said.code != entry.code:
        found.append(f"{entry}: exit {said.code}, not {entry.code}: {said.stderr}{said.stdout}")
    if got != wanted:
        found.append(f"{entry}:\n  got  {got}\n  want {wanted}")
    if entry.code and not entry.stdout and first_error(said.stderr) != first_error(entry.stderr):
        found.append(f"{entry}: {said.stderr!r}, not {first_error(entry.stderr)!r}")
    return found


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


def test_every_broker_tells_the_versions_of_the_transcript(brokers: Brokers) -> None:
    for entry in entries("broker-api-versions"):
        if "127.0.0.1:1" in entry.argv:
            continue
        said = replay(entry, brokers.bootstrap)
        assert said.code == entry.code, entry
        if entry.code == 0:
            assert blocks(said.stdout) == blocks(entry.stdout)


def blocks(text: str) -> list[str]:
    """One text per broker, without its port."""
    return sorted(re.sub(r"127\.0\.0\.1:\d+", "HOST", b) for b in text.split("\n)\n"))


def test_leaders_are_elected_as_in_the_transcript(
    filled: Brokers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    prefer_broker_1(filled, ("orders", 0))
    fill(filled, "logins", "1:0", 1)
    wrong: list[str] = []
    for entry in entries("leader-election"):
        if "stopped" in entry.step:
            filled.stop(1)
            filled.wait_live(0, 2)
            assert "broker 1 down" in state_of(filled)
        if "started" in entry.step:
            filled.all[1].start()
            filled.wait_live(0, 1, 2)
        if entry.argv[:1] == ["kafka-leader-election"]:
            wrong += election_differs(entry, replay(entry, filled.bootstrap))
    assert not wrong, "\n".join(wrong)


def test_the_state_of_the_cluster_is_told(filled: Brokers) -> None:
    assert state_of(filled) == {"racks 2", "no trouble"}
    server = ("--bootstrap-server", filled.bootstrap)
    theirs = run_tool("kafka-cluster", "cluster-id", *server)
    ours = run("kafka-cluster", "cluster-id", *server)
    assert (ours.code, ours.stdout) == (theirs.returncode, theirs.stdout)
    said = run("kafka-cluster", "unregister", *server, "--id", "2")
    text = "The target cluster does not support the broker unregistration API.\n"
    assert (said.code, said.stdout) == (0, text)


def state_of(brokers: Brokers) -> set[str]:
    """What ``pko cluster status`` finds remarkable."""
    said = run("cluster", "status", "-b", brokers.bootstrap, "-o", "json",
               "--fail-on", "under_replicated>0|offline>0|brokers_missing>0")  # fmt: skip
    (item,) = json.loads(said.stdout)["items"]
    facts = item["facts"]
    assert {b["version"] for b in item["brokers"] if b["state"] == "up"} == {"about 3.9"}
    assert sum(b["bytes"] or 0 for b in item["brokers"]) > 0
    found = {f"broker {b['id']} {b['state']}" for b in item["brokers"] if b["state"] != "up"}
    troubled = sum(facts[name] for name in ("under_replicated", "offline", "brokers_missing"))
    assert said.code == (4 if troubled else 0)
    return found | {f"racks {facts['racks']}", "trouble" if troubled else "no trouble"}


def prefer_broker_1(brokers: Brokers, partition: tuple[str, int]) -> None:
    """Replicas 1, 0, and 1 leads."""
    cluster = brokers.cluster()
    try:
        assert alter_reassignments(cluster, {partition: [1, 0]}) == {partition: None}
        wait_for(lambda: not list_reassignments(cluster), seconds=60, what="the new order")
        done = elect_leaders(cluster, PREFERRED, [partition])
        assert done == {partition: None}
    finally:
        cluster.close()


def election_differs(entry: Entry, said: Said) -> list[str]:
    """What differs; of all partitions not which, since the transcript's cluster had others."""
    if "--all-topic-partitions" in entry.argv:
        pattern = r"(partitions?:? )[\w.]+-\d.*|^\d+ replica"
        entry.stdout, said.stdout = (
            "\n".join(sorted({re.sub(pattern, r"\1", x) for x in text.splitlines()}))
            for text in (entry.stdout, said.stdout)
        )
        entry.stderr, said.stderr = (
            re.sub(r"^\d+ (?=replica)", "", first_error(text))
            for text in (entry.stderr, said.stderr)
        )
    return compare(entry, said)
