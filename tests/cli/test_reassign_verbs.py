"""plan, run, status, cancel and rollback with three Apache Kafka brokers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from pykafka_ops.client.configs import (
    BROKER,
    TOPIC,
    AlterOp,
    ConfigResource,
    alter_configs,
    describe_configs,
)
from pykafka_ops.client.reassignments import alter_reassignments, list_reassignments
from pykafka_ops.client.topics import TopicDescription, describe_topics
from tests.support.cluster.apache_cluster import Brokers
from tests.support.process.commands import KafkaTools, Said, pko
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java, pytest.mark.live]
RECORDS = 30
MANY = 500
SIZE = 100_000
RATES = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")
REPLICAS = ("leader.replication.throttled.replicas", "follower.replication.throttled.replicas")


class Site:
    """The brokers, and a home for what runs note."""

    def __init__(self, brokers: Brokers, home: Path) -> None:
        self.brokers, self.home = brokers, home
        self.plan = home / "moves.json"
        self.cluster = brokers.cluster()
        self.env = {**os.environ, "XDG_STATE_HOME": str(home)}
        self.env["PKO_BOOTSTRAP_SERVER"] = brokers.bootstrap
        self.started: list[subprocess.Popen[str]] = []

    def start(self, *words: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "pykafka_ops", "reassign-partitions", *words],
            env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.started.append(process)
        return process

    def close(self) -> None:
        """Leave nothing running, whatever failed."""
        for process in self.started:
            if process.poll() is None:
                process.kill()
                process.communicate()
        moving = list_reassignments(self.cluster)
        if moving:
            alter_reassignments(self.cluster, dict.fromkeys(moving))
        self.cluster.close()

    def __call__(self, *words: str) -> Said:
        process = self.start(*words)
        out, err = process.communicate(timeout=300)
        return Said(process.returncode, out, err)

    def make(self, topic: str, assignment: str, records: int = RECORDS) -> None:
        """A topic with so many records in each partition."""
        words = ("--replica-assignment", assignment, "-b", self.brokers.bootstrap)
        assert pko("topics", "create", topic, *words).code == 0
        self.brokers.wait_told(topic)
        producer = Producer({"bootstrap.servers": self.brokers.bootstrap})
        for number in range(assignment.count(",") + 1):
            for _ in range(records):
                producer.produce(topic, os.urandom(SIZE), partition=number)
        assert producer.flush(120) == 0

    def replicas(self, topic: str) -> list[list[int]]:
        found = describe_topics(self.cluster, [topic])[topic]
        assert isinstance(found, TopicDescription)
        return [p.replicas for p in found.partitions]

    def settings(self, topic: str) -> dict[str, Mapping[str, str]]:
        """Throttles that are set, by who has them."""
        places = [ConfigResource(BROKER, str(i)) for i in range(3)] + [ConfigResource(TOPIC, topic)]
        found: dict[str, Mapping[str, str]] = {}
        for place, entries in describe_configs(self.cluster, places).items():
            assert isinstance(entries, list)
            own = {e.name: e.value or "" for e in entries if e.name in (*RATES, *REPLICAS)}
            set_ = {k: v for k, v in own.items() if v and v != "9223372036854775807"}
            if set_:
                found[place.name] = set_
        return found

    def count(self, topic: str, partitions: int) -> int:
        """Records that a consumer finds."""
        consumer = Consumer({
            "bootstrap.servers": self.brokers.bootstrap, "group.id": "none",
            "auto.offset.reset": "earliest", "enable.partition.eof": True,
        })  # fmt: skip
        consumer.assign([TopicPartition(topic, n, 0) for n in range(partitions)])
        ends = records = 0
        while ends < partitions:
            message = consumer.poll(120)
            assert message is not None
            ends += message.error() is not None
            records += message.error() is None
        consumer.close()
        return records


@pytest.fixture
def site(apache_cluster: Brokers, tmp_path: Path) -> Iterator[Site]:
    made = Site(apache_cluster, tmp_path)
    yield made
    made.close()


def test_a_broker_is_drained_and_filled_again(
    site: Site, topic: str, kafka_tools: KafkaTools
) -> None:
    site.make(topic, "2:1,2:0,1:2,0:1")
    before = site.replicas(topic)
    planned = site("plan", topic, "--drain", "2", "--file", str(site.plan), "-o", "json")
    assert planned.code == 0, planned.err
    brokers = json.loads(planned.out)["items"][0]["brokers"]
    assert [b["broker"] for b in brokers] == [0, 1, 2]
    [item] = json.loads(planned.out)["items"]
    after = [p["after"] for p in item["partitions"]]
    assert len(after) == 3 and all(2 not in ids for ids in after)
    assert item["copied_bytes"] > RECORDS * SIZE * 3
    waiting = site("status", str(site.plan), "--fail-on", "state!=done")
    assert waiting.code == 4 and waiting.out.count("waiting") == 3

    done = site("run", str(site.plan), "--throttle", "20MB")
    assert (done.code, done.out.count("done")) == (0, 3), done.err
    site.brokers.settle(topic)
    assert [ids for ids in site.replicas(topic) if 2 in ids] == []
    assert site.settings(topic) == {}
    kafka = kafka_tools(
        "kafka-reassign-partitions", "--bootstrap-server", site.brokers.bootstrap,
        "--verify", "--reassignment-json-file", str(site.plan),
    )  # fmt: skip
    assert kafka.out.count("is completed") == 3, kafka.out
    again = site("run", str(site.plan))
    assert again.code == 0 and "3 of 3 partitions are in place, 0 B" in again.err

    back = site("rollback", str(site.plan), "--throttle", "none")
    assert (back.code, back.out.count("done")) == (0, 3), back.err
    site.brokers.settle(topic)
    assert site.replicas(topic) == before
    assert site.count(topic, 4) == 4 * RECORDS


def test_stopped_and_killed_runs_leave_no_throttle_and_go_on(site: Site, topic: str) -> None:
    # Apache Kafka copies at full speed until it has heard of the throttle.
    site.make(topic, "0:1,1:0", MANY)
    _set_by_others(site, topic)
    plan = {"version": 1, "partitions": [
        {"topic": topic, "partition": n, "replicas": [2, n]} for n in (0, 1)
    ]}  # fmt: skip
    site.plan.write_text(json.dumps(plan))
    others = wait_for(lambda: len(set_ := site.settings(topic)) == 2 and set_, what="throttles")

    for number in (signal.SIGTERM, signal.SIGINT):
        run = site.start("run", str(site.plan), "--throttle", "100KB")
        _until(site, topic, lambda: len(list_reassignments(site.cluster)) == 2)
        assert site.settings(topic)["1"] == dict.fromkeys(RATES, "100000")
        run.send_signal(number)
        _, err = run.communicate(timeout=300)
        assert run.returncode == 128 + number and "cancelled" in err
        site.brokers.settle(topic)
        assert site.replicas(topic) == [[0, 1], [1, 0]] and site.settings(topic) == others

    run = site.start("run", str(site.plan), "--throttle", "100KB")
    _until(site, topic, lambda: len(list_reassignments(site.cluster)) == 2)
    run.kill()
    run.communicate(timeout=300)
    assert site.settings(topic) != others
    status = site("status", "-o", "json")
    assert [i["state"] for i in json.loads(status.out)["items"]] == ["moving"] * 2
    assert "broker 1 is throttled: leader 97.7 KiB/s" in status.err
    resumed = site("run", str(site.plan), "--throttle", "50MB")
    assert (resumed.code, resumed.out.count("done")) == (0, 2), resumed.err
    assert site.settings(topic) == others

    back = site("rollback", str(site.plan), "--throttle", "100MB")
    assert back.code == 0, back.err
    site.brokers.settle(topic)
    assert site.replicas(topic) == [[0, 1], [1, 0]]
    _set_by_others(site, topic, remove=True)


def test_more_replicas_then_fewer_and_a_cancel(site: Site, topic: str) -> None:
    # Apache Kafka copies at full speed until it has heard of the throttle.
    site.make(topic, "0,1", MANY)
    more = ("--replication-factor", "2", "--file", str(site.plan))
    assert site("plan", topic, *more).code == 0
    assert site("execute", str(site.plan), "--throttle", "50000").code == 0
    _until(site, topic, lambda: len(list_reassignments(site.cluster)) == 2)
    refused = site("cancel")
    assert refused.code == 2 and "--yes" in refused.err
    cancelled = site("cancel", "--yes", "-o", "json")
    assert cancelled.code == 0, cancelled.err
    assert [len(i["adding"]) for i in json.loads(cancelled.out)["items"]] == [1, 1]
    wait_for(lambda: site.settings(topic) == {}, what="the end of throttles", poll=0.05)
    assert "nothing moves" in site("status").err
    done = site("run", str(site.plan))
    assert done.code == 0, done.err
    site.brokers.settle(topic)
    assert [len(set(ids)) for ids in site.replicas(topic)] == [2, 2]
    fewer = site("plan", topic, "--replication-factor", "1", "--file", str(site.plan), "-y")
    assert "0 B to copy" in fewer.err
    assert site("run", str(site.plan)).code == 0
    site.brokers.settle(topic)
    assert site.replicas(topic) == [[0], [1]]


def _set_by_others(site: Site, topic: str, *, remove: bool = False) -> None:
    """A throttle that was there before a run, and is to be there after it."""
    op = AlterOp.DELETE if remove else AlterOp.SET
    changes = {
        ConfigResource(BROKER, "0"): [(op, RATES[0], None if remove else "77000000")],
        ConfigResource(TOPIC, topic): [(op, REPLICAS[0], None if remove else "0:0")],
    }
    assert set(alter_configs(site.cluster, changes).values()) == {None}


def _until(site: Site, topic: str, moving: Callable[[], bool]) -> None:
    """Until moves are under way and throttled, and all know of it."""
    wait_for(moving, what="moves under way", poll=0.05)
    wait_for(
        lambda: topic in (found := site.settings(topic)) and found.get("1", {}).keys() == {*RATES},
        what="throttles",
        poll=0.05,
    )
