"""kafka-leader-election and kafka-cluster: brokers fall, and leaders are elected as transcribed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Producer

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from tests.cli.conftest import Brokers
from tests.support.golden.transcripts import (
    Entry,
    Said,
    differences,
    entries,
    first_error,
    replay,
    rows,
)
from tests.support.golden.transcripts import run_patiently as run
from tests.support.process.apache import run_tool
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow]
TOPICS = {"views": "0:1,1:2,2:0", "orders": "1:0", "logins": "1:0", "odds": "0,1,2"}
TROUBLES = ("under_replicated", "offline", "brokers_missing")


@pytest.fixture(scope="module")
def filled(target_brokers: Brokers) -> Iterator[Brokers]:
    """Brokers with the topics of the transcript."""
    for topic, assignment in TOPICS.items():
        create(target_brokers, topic, assignment)
    produce(target_brokers, "views", [0, 1, 2])
    target_brokers.wait_live(0, 1, 2)
    yield target_brokers


def create(brokers: Brokers, topic: str, assignment: str) -> None:
    words = ("--create", "--topic", topic, "--replica-assignment", assignment)
    said = run("kafka-topics", "--bootstrap-server", brokers.bootstrap, *words)
    assert said.code == 0, said


def produce(brokers: Brokers, topic: str, partitions: list[int]) -> None:
    """A record for each partition named, on disk everywhere."""
    producer = Producer({"bootstrap.servers": brokers.bootstrap})
    for partition in partitions:
        producer.produce(topic, b"v", partition=partition)
    assert producer.flush(120) == 0


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
               "--fail-on", "|".join(f"{name}>0" for name in TROUBLES))  # fmt: skip
    (item,) = json.loads(said.stdout)["items"]
    facts = item["facts"]
    assert {b["version"] for b in item["brokers"] if b["state"] == "up"} == {"about 3.9"}
    assert sum(b["bytes"] or 0 for b in item["brokers"]) > 0
    found = {f"broker {b['id']} {b['state']}" for b in item["brokers"] if b["state"] != "up"}
    troubled = sum(facts[name] for name in TROUBLES)
    assert said.code == (4 if troubled else 0)
    return found | {f"racks {facts['racks']}", "trouble" if troubled else "no trouble"}


def test_preferred_leaders_are_elected_as_in_the_transcript(
    filled: Brokers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
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
            wrong += compare(entry, replay(entry, filled.bootstrap))
    assert not wrong, "\n".join(wrong)


def test_unclean_leaders_are_elected_as_in_the_transcript(
    filled: Brokers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    delete = ("--delete", "--topic", "|".join(TOPICS))
    assert run("kafka-topics", "--bootstrap-server", filled.bootstrap, *delete).code == 0
    create(filled, "tracks", "1:0,2:0")
    produce(filled, "tracks", [0, 1] * 10)
    swap = {
        "127.0.0.1:23130": filled.all[0].bootstrap,
        "127.0.0.1:23132": filled.all[2].bootstrap,
    }
    wrong: list[str] = []
    for entry in entries("unclean-election"):
        if entry.step.startswith("tracks"):
            leave_only_the_stale(filled)
        elif entry.step.startswith("broker 0 started"):
            filled.all[0].start()
            filled.wait_live(0, 1, 2)
        elif entry.argv[0] != "kafka-log-dirs":
            wrong += compare(entry, replay(entry, "", swap))
    assert not wrong, "\n".join(wrong)


def leave_only_the_stale(brokers: Brokers) -> None:
    """Broker 1 is back, broker 0, alone in the ISR of tracks-0, is not."""
    brokers.stop(1)
    brokers.wait_live(0, 2)
    produce(brokers, "tracks", [0] * 10)
    brokers.stop(0)
    brokers.all[1].start()
    for broker in (brokers.all[1], brokers.all[2]):
        cluster = Cluster(ClientConfig.of({"bootstrap.servers": broker.bootstrap}))
        try:
            wait_for(lambda c=cluster: known(c), what="brokers 1 and 2")  # type: ignore[misc]
        finally:
            cluster.close()


def known(cluster: Cluster) -> bool:
    """Whether it is told that 1 and 2 live, and that nobody leads tracks-0."""
    found = cluster.metadata(["tracks"])
    leaders = {p.partition_index: p.leader_id for t in found.topics for p in t.partitions}
    return set(cluster.nodes) == {1, 2} and leaders == {0: -1, 1: 2}


def compare(entry: Entry, said: Said) -> list[str]:
    """In words; of all partitions not which, since the transcript's cluster had others."""
    wanted, got, theirs, ours = entry.stdout, said.stdout, entry.stderr, said.stderr
    if "--all-topic-partitions" in entry.argv:
        wanted, got = without_names(wanted), without_names(got)
    if "kafka-get-offsets" in entry.argv:  # it warns of what has no leader
        theirs = ours = ""
    found = differences(entry, said, rows(wanted), rows(got))
    if without_count(ours) != without_count(theirs):
        found.append(f"{entry}: {ours!r}, not {first_error(theirs)!r}")
    return found


def without_names(text: str) -> str:
    """Each kind of line once."""
    pattern = r"(partitions?:? )[\w.]+-\d.*"
    return "\n".join(sorted({re.sub(pattern, r"\1", x) for x in text.splitlines()}))


def without_count(text: str) -> str:
    """The first error, whatever number of replicas it tells of."""
    return re.sub(r"^\d+ (?=replica)", "", first_error(text))
