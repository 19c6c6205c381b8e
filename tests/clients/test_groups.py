"""Consumers of every library share a topic, take over from each other and go on after restarts."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer

from tests.support import java_kit
from tests.support.broker import BrokerProcess
from tests.support.commands import pko
from tests.support.kafka_clients.confluent import ConfluentClient
from tests.support.waiting import wait_for

pytestmark = pytest.mark.slow
SCRIPT = Path(__file__).parents[1] / "support" / "group_member.py"
PARTITIONS = 4
JAVA = max(java_kit.CLIENTS)
EVERY = [
    "confluent-kafka",
    "kafka-python",
    "aiokafka",
    pytest.param("java", marks=pytest.mark.java),
]


class Member:
    """A consumer process; ``assigned`` is what it has now, ``read`` what it read and committed."""

    def __init__(
        self, library: str, bootstrap: str, topic: str, strategy: str = "range", name: str = "-"
    ) -> None:
        arguments = [bootstrap, f"group-of-{topic}", topic, strategy, name]
        if library == "java":
            classpath = java_kit.compiled("GroupMember", JAVA)
            argv = ["java", "-Xmx128M", "-XX:+UseSerialGC", "-cp", classpath, "GroupMember"]
        else:
            argv = [sys.executable, str(SCRIPT), library]
        self.process = subprocess.Popen(
            [*argv, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.assigned: set[int] = set()
        self.changes = 0
        self.read: list[str] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            kind, _, rest = line.rstrip("\n").partition(" ")
            if kind == "A":
                self.assigned = {int(n) for n in rest.split(",") if n}
                self.changes += 1
            elif kind == "R":
                self.read.append(rest.split(" ", 2)[2])

    def leave(self) -> None:
        """Close the consumer."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.wait(30) == 0

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(30)


Join = Callable[..., Member]


@pytest.fixture
def join(broker: Any, topic: str) -> Iterator[Join]:
    """``join(library, strategy, name)`` starts a member of the test's group."""
    ConfluentClient(broker.bootstrap).create_topic(topic, PARTITIONS)
    made: list[Member] = []

    def start(library: str, *more: str, on: Any = broker) -> Member:
        made.append(Member(library, on.bootstrap, topic, *more))
        return made[-1]

    yield start
    for member in made:
        member.kill()


def produce(bootstrap: str, topic: str, values: list[str]) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "acks": "all"})
    for n, value in enumerate(values):
        producer.produce(topic, value, partition=n % PARTITIONS)
    assert producer.flush(60) == 0


def share(*members: Member) -> bool:
    """Whether every partition has exactly one owner, and each member has some."""
    owned = [p for m in members for p in m.assigned]
    return sorted(owned) == list(range(PARTITIONS)) and all(m.assigned for m in members)


def wait_shared(*members: Member) -> None:
    wait_for(
        lambda: share(*members),
        seconds=45,
        what=f"all partitions shared: {[m.assigned for m in members]}",
    )


def values(first: int, count: int = 40) -> list[str]:
    return [f"v{n}" for n in range(first, first + count)]


@pytest.mark.parametrize("library", EVERY)
def test_members_share_take_over_and_go_on(
    join: Join, broker: Any, topic: str, library: str
) -> None:
    produce(broker.bootstrap, topic, values(0))
    first = join(library)
    wait_for(lambda: len(first.read) == 40, seconds=45, what="the first records")
    second = join(library)
    wait_shared(first, second)
    produce(broker.bootstrap, topic, values(40))
    wait_for(lambda: len(first.read + second.read) >= 80, seconds=45, what="the next records")
    first.leave()
    wait_shared(second)
    produce(broker.bootstrap, topic, values(80))
    wait_for(lambda: len(first.read + second.read) >= 120, seconds=45, what="the last records")
    assert sorted(first.read + second.read) == sorted(values(0, 120))
    second.leave()
    third = join(library)
    wait_shared(third)
    produce(broker.bootstrap, topic, ["new"])
    wait_for(lambda: third.read, seconds=45, what="the new record")
    assert third.read == ["new"]


@pytest.mark.parametrize(
    ("library", "strategy"),
    [
        ("confluent-kafka", "cooperative-sticky"),
        ("kafka-python", "cooperative-sticky"),
        ("aiokafka", "sticky"),
        pytest.param("java", "sticky", marks=pytest.mark.java),
        pytest.param("java", "cooperative-sticky", marks=pytest.mark.java),
    ],
)
def test_strategies_that_keep_what_they_can(join: Join, library: str, strategy: str) -> None:
    first = join(library, strategy)
    wait_shared(first)
    second = join(library, strategy)
    wait_shared(first, second)
    assert len(first.assigned) == len(second.assigned) == 2
    second.leave()
    wait_shared(first)


def test_libraries_share_a_group(join: Join) -> None:
    members = [join("confluent-kafka"), join("kafka-python"), join("aiokafka")]
    wait_shared(*members)


def test_a_killed_member_is_replaced_when_its_session_ends(join: Join) -> None:
    first, second = join("confluent-kafka"), join("confluent-kafka")
    wait_shared(first, second)
    first.kill()
    wait_shared(second)


@pytest.mark.parametrize(
    "library", ["confluent-kafka", pytest.param("java", marks=pytest.mark.java)]
)
def test_a_static_member_comes_back_without_disturbing_the_others(join: Join, library: str) -> None:
    one, other = join(library, "range", "one"), join(library, "range", "other")
    wait_shared(one, other)
    changes, before = other.changes, one.assigned
    one.kill()
    back = join(library, "range", "one")
    wait_for(lambda: back.assigned == before, seconds=30, what="its old partitions")
    assert other.changes == changes


@pytest.mark.parametrize("ending", ["restart", "kill"])
def test_members_go_on_when_the_broker_comes_back(
    make_broker: Callable[..., BrokerProcess], topic: str, ending: str
) -> None:
    broker = make_broker().start()
    ConfluentClient(broker.bootstrap).create_topic(topic, PARTITIONS)
    members = [Member("confluent-kafka", broker.bootstrap, topic) for _ in range(2)]
    try:
        wait_shared(*members)
        produce(broker.bootstrap, topic, values(0))
        wait_for(lambda: sum(len(m.read) for m in members) >= 40, seconds=30, what="records")
        if ending == "kill":
            broker.kill()
            broker.start()
        else:
            broker.restart()
        produce(broker.bootstrap, topic, values(40))
        wait_for(lambda: sum(len(m.read) for m in members) >= 80, seconds=45, what="more records")
        assert sorted(members[0].read + members[1].read) == sorted(values(0, 80))
    finally:
        for member in members:
            member.kill()


def test_pko_consume_goes_on_where_its_group_ended(broker: Any, topic: str, join: Join) -> None:
    produce(broker.bootstrap, topic, values(0))
    words = ("consume", "--bootstrap-server", broker.bootstrap, "--topic", topic)
    group = ("--group", f"pko-{topic}", "--from-beginning", "--timeout-ms", "10000")
    said = pko(*words, *group, "--max-messages", "40")
    assert sorted(said.out.split()) == sorted(values(0)), said.err
    produce(broker.bootstrap, topic, ["new"])
    said = pko(*words, *group, "--max-messages", "1")
    assert said.out.split() == ["new"], said.err
