"""kafka-reassign-partitions: every command line of the transcript answers as Kafka's tool did."""

from __future__ import annotations

import json
import re
import time
from functools import partial
from pathlib import Path

import pytest

from pykafka_ops.client.log_dirs import describe_replica_dirs
from tests.support.cluster.apache_cluster import Brokers, OurBrokers
from tests.support.golden.transcripts import (
    Entry,
    Said,
    entries,
    error_of,
    first_error,
    replay,
    rows,
)
from tests.support.golden.transcripts import run_patiently as run
from tests.support.process.apache import ZooKeeper
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow]
TOPICS = {"logins": "0:1,1:2", "catalog": "0,1,2", "scores": "0:1"}
REPLICA = ("scores", 0, 2)
TARGET = "/var/kafka/broker-2-a"
BAD_JSON = "Error: The input string is not a valid JSON"
# Kafka 3.7 to 3.9 leaves a move that only adds replicas running (and drops its throttle).
_THREE = '"replicas":[0,1,2],"log_dirs":["any","any","any"]'
CANCELLED = "Successfully cancelled partition reassignment for: scores-0"
DIFFERENT = {
    38: ("None of the specified partition reassignments are active.", CANCELLED),
    40: (_THREE, '"replicas":[0,1],"log_dirs":["any","any"]'),
}


def make_topics(brokers: Brokers) -> None:
    """The topics of the first step, 8 MB in one of them."""
    from confluent_kafka import Producer

    for topic, placed in TOPICS.items():
        words = ("--create", "--topic", topic, "--replica-assignment", placed)
        said = run("kafka-topics", "--bootstrap-server", brokers.bootstrap, *words)
        assert said.code == 0, said.stdout
    brokers.wait_live(0, 1, 2)
    producer = Producer({"bootstrap.servers": brokers.bootstrap, "compression.type": "none"})
    for _ in range(800):
        producer.produce("scores", b"x" * 10_000, partition=0)
    assert producer.flush(120) == 0


def remove_topics(brokers: Brokers) -> None:
    for topic in TOPICS:
        run("topics", "delete", topic, "--yes", "-b", brokers.bootstrap)


def settle(brokers: Brokers) -> None:
    """Until nothing moves."""
    brokers.settle(*TOPICS)
    cluster = brokers.cluster()
    try:
        wait_for(
            lambda: not describe_replica_dirs(cluster, [REPLICA])[REPLICA].future,
            what="the end of moves between directories",
            poll=0.1,
        )
    finally:
        cluster.close()


def slow_down(brokers: Brokers, entry: Entry) -> None:
    """Let the throttle that a command sets hold before it starts the move: brokers learn of
    settings a little later, and 8 MB are copied soon."""
    where = ("--bootstrap-server", brokers.bootstrap)
    rates = "replica.alter.log.dirs.io.max.bytes.per.second=1000"
    if "--throttle" in entry.argv:
        sides = ("leader", "follower")
        replicas = ",".join(f"{side}.replication.throttled.replicas=*" for side in sides)
        run("kafka-configs", *where, "--alter", "--topic", "scores", "--add-config", replicas)
        rates = ",".join(f"{side}.replication.throttled.rate=1000" for side in sides)
    for broker in ("0", "1", "2"):
        run("kafka-configs", *where, "--alter", "--broker", broker, "--add-config", rates)
        words = ("kafka-configs", *where, "--describe", "--broker", broker)
        wait_for(partial(_limited, words), what="the throttle", poll=0.05)


def _limited(words: tuple[str, ...]) -> bool:
    return "=1000 " in run(*words).stdout


def other_dir(brokers: Brokers) -> str:
    """The directory of broker 2 that does not hold the replica."""
    cluster = brokers.cluster()
    try:
        now = describe_replica_dirs(cluster, [REPLICA])[REPLICA].current
    finally:
        cluster.close()
    return next(path for path in brokers.log_dirs(2) if path != now)


def proposals(text: str) -> list[dict[str, list[int]]]:
    """Replicas by partition of each JSON line."""
    found = []
    for line in text.splitlines():
        if line.startswith("{"):
            data = json.loads(line)
            assert list(data) == ["version", "partitions"]
            found.append(
                {f"{p['topic']}-{p['partition']}": p["replicas"] for p in data["partitions"]}
            )
    return found


def compare_proposal(said: Said, wanted: str, brokers: set[int]) -> bool:
    """The same present replicas; as many proposed, each on brokers of its own."""
    (now, then), (true_now, true_then) = proposals(said.stdout), proposals(wanted)
    masked = re.compile(r"^\{.*", re.M)
    return (
        masked.sub("", said.stdout) == masked.sub("", wanted)
        and now == true_now
        and list(then) == list(true_then)
        and all(len(set(r)) == len(true_then[p]) and set(r) <= brokers for p, r in then.items())
    )


def same(entry: Entry, said: Said, swap: dict[str, str]) -> bool:
    """Whether pko said what Kafka's tool said."""
    wanted = entry.stdout
    for old, new in swap.items():
        wanted = wanted.replace(old, new)
    wanted = wanted.replace(*DIFFERENT.get(entry.number, ("\0", "")))
    if said.code != entry.code:
        return False
    if entry.argv[0] == "kafka-log-dirs":
        return True
    if entry.argv[0] != "kafka-reassign-partitions":
        return rows(said.stdout) == rows(wanted)
    if "--generate" in entry.argv and entry.code == 0:
        ids = entry.argv[entry.argv.index("--broker-list") + 1]
        return compare_proposal(said, wanted, {int(i) for i in ids.split(",")})
    if not wanted:
        first = first_error(entry.stderr).rpartition("Exception: ")[2]
        return first_error(said.stderr) == first
    got, true = error_of(said.stdout), error_of(wanted)
    if "Unexpected character" in true[-1]:
        return len(got) == 1 and got[0].startswith(BAD_JSON)
    if true[-1].startswith("Error: "):
        return got[:-1] == true[:-1] and got[-1].startswith(true[-1])
    return said.stdout == wanted


def answer(brokers: Brokers, entry: Entry, swap: dict[str, str]) -> Said:
    """What pko says; asked again where brokers learn a little later what has changed."""
    end = time.monotonic() + 60
    said = replay(entry, brokers.bootstrap)
    while entry.argv[0] in ("kafka-topics", "kafka-configs") and "--describe" in entry.argv:
        if same(entry, said, swap) or time.monotonic() > end:
            break
        said = replay(entry, brokers.bootstrap)
    return said


def check(brokers: Brokers) -> None:
    """Replay the transcript, in the working directory."""
    make_topics(brokers)
    wrong = []
    started = False
    swap: dict[str, str] = {}
    try:
        for entry in entries("reassign-partitions"):
            if entry.step:
                continue
            if started:
                brokers.wait_told(*TOPICS)
            started = "--execute" in entry.argv or "--cancel" in entry.argv
            if "--verify" in entry.argv and "in progress" not in entry.stdout:
                settle(brokers)
            if "dirs.json" in entry.files:
                swap[TARGET] = other_dir(brokers)
            for name, text in entry.files.items():
                entry.files[name] = text.replace(TARGET, swap.get(TARGET, TARGET))
            if "1000" in entry.argv:
                slow_down(brokers, entry)
            said = answer(brokers, entry, swap)
            if not same(entry, said, swap):
                wrong.append(f"{entry}\n  got  {said}\n  want {entry.stdout or entry.stderr[:200]}")
    finally:
        settle(brokers)
        remove_topics(brokers)
    assert not wrong, "\n".join(wrong)


def test_every_command_line_answers_like_apache_kafka(
    apache_cluster: Brokers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    check(apache_cluster)


def test_three_brokers_of_ours_answer_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    brokers = OurBrokers(tmp_path, ZooKeeper(tmp_path).start())
    try:
        check(brokers.start())
    finally:
        brokers.close()
