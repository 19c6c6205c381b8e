"""kafka-consumer-groups: every command line of the transcript gives the same table through pko.

Kafka 3.9 prints some tables without line ends; the words are compared, in any order.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from pykafka_ops.wire.messages.leave_group import LeaveGroupRequest, MemberIdentity
from tests.cli.conftest import single_broker
from tests.conftest import Broker
from tests.support.differential.two_brokers import Link
from tests.support.golden.transcripts import Entry, Said, entries, first_error, replay
from tests.support.golden.transcripts import run_patiently as run
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow]
EPOCH = 1_700_000_000_000
STATIC = "bets-client-static"
LONG = "routes-svc-with-a-rather-long-name-for-a-group"
MEMBER = re.compile(r"-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


SETTINGS = {"offsets.topic.num.partitions": 3}


@pytest.fixture(scope="module", params=["pko", "apache"])
def alone(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Broker]:
    """A broker that no other test leaves groups in."""
    with single_broker(request.param, tmp_path_factory.mktemp("groups"), SETTINGS) as broker:
        yield broker


class Members:
    """Consumers that poll until they are closed."""

    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap
        self.threads: list[threading.Thread] = []
        self.end = threading.Event()

    def join(self, group: str, topics: list[str], **settings: object) -> None:
        consumer = Consumer(
            {
                "bootstrap.servers": self.bootstrap,
                "group.id": group,
                "auto.offset.reset": "earliest",
                "auto.commit.interval.ms": 100,
                "session.timeout.ms": 60_000,
                "heartbeat.interval.ms": 500,
                **settings,
            }
        )
        consumer.subscribe(topics)
        self.threads.append(threading.Thread(target=self._poll, args=(consumer,)))
        self.threads[-1].start()

    def _poll(self, consumer: Consumer) -> None:
        while not self.end.is_set():
            consumer.poll(0.1)
        consumer.close()

    def close(self) -> None:
        self.end.set()
        for thread in self.threads:
            thread.join(120)


def fill(bootstrap: str, topic: str, partitions: int, count: int) -> None:
    create = ("--create", "--topic", topic, "--partitions", str(partitions))
    settings = ("--config", "retention.ms=-1")
    assert run("kafka-topics", "--bootstrap-server", bootstrap, *create, *settings).code == 0
    producer = Producer({"bootstrap.servers": bootstrap})
    for i in range(count):
        producer.produce(topic, b"v", partition=i % partitions, timestamp=EPOCH + 60_000 * i)
    assert producer.flush(120) == 0


def commit(bootstrap: str, group: str, offsets: dict[tuple[str, int], int]) -> None:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": group})
    places = [TopicPartition(t, p, o) for (t, p), o in offsets.items()]
    consumer.commit(offsets=places, asynchronous=False)
    consumer.close()


def ask(bootstrap: str, *words: str) -> str:
    return run("kafka-consumer-groups", "--bootstrap-server", bootstrap, *words).stdout


class Play:
    """Does what the transcript's steps say."""

    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap
        self.members = Members(bootstrap)

    def step(self, text: str) -> None:
        if text.startswith("bookings:"):
            fill(self.bootstrap, "bookings", 4, 80)
            fill(self.bootstrap, "trades", 2, 30)
            fill(self.bootstrap, "matches", 1, 0)
        elif text.startswith("audit-svc"):
            offsets = {("bookings", 0): 5, ("bookings", 1): 7, ("bookings", 2): 20}
            commit(self.bootstrap, "audit-svc", {**offsets, ("trades", 0): 3})
            commit(self.bootstrap, LONG, {("bookings", 3): 1, ("matches", 0): 0})
        elif text.startswith("seats-svc"):
            for client in ("views-client", "orders-client"):
                self.members.join("seats-svc", ["bookings", "trades"], **{"client.id": client})
            static = {"client.id": "bets-client", "group.instance.id": STATIC}
            self.members.join("prices-svc", ["bookings"], **static)
            wait_for(self._caught_up, poll=0.2, what="all members at the end")
        else:
            self.members.close()
            wait_for(lambda: self._state("seats-svc") == "Empty", poll=0.2)

    def _caught_up(self) -> bool:
        rows = ask(self.bootstrap, "--describe", "--all-groups").splitlines()
        mine = [r.split() for r in rows if r.startswith(("seats-svc", "prices-svc"))]
        return len(mine) == 10 and all(r[5] == "0" and r[6] != "-" for r in mine)

    def _state(self, group: str) -> str:
        rows = ask(self.bootstrap, "--list", "--state").splitlines()
        return next((r.split()[1] for r in rows if r.startswith(group + " ")), "")

    def _remove(self, group: str, instance: str) -> None:
        """As an administrator takes a static member out of a group."""
        link = Link(self.bootstrap)
        member = MemberIdentity(member_id="", group_instance_id=instance)
        answer = link.ask(LeaveGroupRequest(group_id=group, members=[member]), 5)
        link.close()
        assert answer.error_code == 0

    def before(self, entry: Entry) -> None:
        """The static member's session ended while Kafka's own tools were slow; here it is told."""
        if "--all-groups" in entry.argv and "--reset-offsets" in entry.argv:
            self._remove("prices-svc", STATIC)
            wait_for(lambda: self._state("prices-svc") == "Empty", poll=0.2)


def words(text: str) -> list[str]:
    """The words of a table, without what varies."""
    text = MEMBER.sub("-ID", text)
    text = re.sub(r"127\.0\.0\.1:\d+  \(\d\)", "COORDINATOR", text)
    text = re.sub(r"\.(?=bookings|trades)", ". ", text)
    text = re.sub(r"\b(?:bookings|trades)(?=\()", "", text)
    text = re.sub(r"(deadlineMs|tries|nextAllowedTryMs)=\d+|timed out .*", "", text)
    return sorted(filter(None, (word.strip("(',)") for word in text.split())))


def compare(entry: Entry, said: Said) -> list[str]:
    found = []
    if said.code != entry.code:
        found.append(f"{entry}: exit {said.code}, not {entry.code}: {said.stderr}{said.stdout}")
    if "bookings:77" in entry.argv:  # Kafka tells how often it tried
        same = "TimeoutException: Call(callName=listOffsets" in said.stdout
    else:
        same = words(said.stdout) == words(entry.stdout)
    if not same:
        found.append(f"{entry}:\n  got  {said.stdout}\n  want {entry.stdout}")
    if entry.code and not first_error(entry.stderr).endswith(first_error(said.stderr)):
        found.append(f"{entry}: {said.stderr!r}, not {first_error(entry.stderr)!r}")
    return found


def test_every_command_line_answers_like_kafkas_tool(
    alone: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    play = Play(alone.bootstrap)
    wrong: list[str] = []
    try:
        for entry in entries("consumer-groups"):
            if entry.step:
                play.step(entry.step)
            else:
                play.before(entry)
                wrong += compare(entry, replay(entry, alone.bootstrap))
    finally:
        play.members.close()
    assert not wrong, "\n".join(wrong)
