"""Consumers of every library in processes of their own, and what they have said so far.

Those of the Java clients share a JVM for each version of the clients: ``java-3.9.1``, ``java-...``,
but for members that are to be killed or stopped (``alone``).
"""

from __future__ import annotations

import itertools
import subprocess
import sys
import threading
from pathlib import Path
from typing import Protocol

from confluent_kafka import Producer

from tests.support.clients.confluent import ConfluentClient
from tests.support.clients.group_member import SESSION_MS
from tests.support.go import go_kit
from tests.support.java import java_kit
from tests.support.waiting import wait_for

HERE = Path(__file__).parent
PARTITIONS = 4
PYTHON = ["confluent-kafka", "kafka-python", "aiokafka"]
JAVA = [f"java-{version}" for version in java_kit.CLIENTS]
GO = "franz-go"
SCRIPTS = {"join": "group_member", "copy": "group_copier"}


class Body(Protocol):
    """Where a member lives."""

    def leave(self) -> None:
        """Close the consumer and wait until it has ended."""

    def kill(self) -> None:
        """End it at once; in a JVM that is shared, close it."""

    def stop(self, number: int) -> None:
        """Send a signal: SIGSTOP, SIGCONT."""


class Member:
    """``assigned`` is what it has now, ``read`` what it read and committed."""

    def __init__(self) -> None:
        self.body: Body
        self.assigned: set[int] = set()
        self.changes = 0
        self.read: list[str] = []
        self.offsets: list[tuple[int, int]] = []
        self.fenced = False
        self.failure = ""
        self.ended = threading.Event()

    def __repr__(self) -> str:
        state = "fenced" if self.fenced else "ended" if self.ended.is_set() else "there"
        return f"<{state}, has {self.assigned}, read {len(self.read)}{self.failure}>"

    def hear(self, line: str) -> None:
        """A line that it printed."""
        kind, _, rest = line.rstrip("\n").partition(" ")
        if kind == "A":
            self.assigned = {int(n) for n in rest.split(",") if n}
            self.changes += 1
        elif kind == "R":
            partition, offset, value = rest.split(" ", 2)
            self.offsets.append((int(partition), int(offset)))
            self.read.append(value)
        elif kind == "F":
            self.fenced = True
        elif kind == "X":
            self.failure = f"{self.failure}\n{rest}"[-2000:]
        elif kind == "E":
            self.assigned = set()
            self.ended.set()


class OwnProcess:
    """A member alone in a process."""

    def __init__(self, member: Member, argv: list[str]) -> None:
        self.process = subprocess.Popen(
            argv,
            cwd=HERE.parents[2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.member = member
        for work in (self._listen, self._complain):
            threading.Thread(target=work, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.member.hear(line)
        self.member.hear("E")

    def _complain(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.member.hear(f"X {line}")

    def leave(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.wait(120) == 0
        assert self.member.ended.wait(120)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(120)
        assert self.member.ended.wait(120)

    def stop(self, number: int) -> None:
        self.process.send_signal(number)


class JavaHost:
    """A JVM with the consumers of one version of the Java clients."""

    def __init__(self, version: str) -> None:
        classpath = java_kit.compiled("GroupMember", version)
        self.members: dict[str, Member] = {}
        self.numbers = itertools.count()
        self.process = subprocess.Popen(
            ["java", "-Xmx256M", *java_kit.BRIEF_JVM, "-cp", classpath, "GroupMember"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            name, _, rest = line.partition(" ")
            self.members[name].hear(rest)

    def say(self, *words: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()

    def close(self) -> None:
        self.process.kill()
        self.process.wait(120)


class InJvm:
    """A member in a thread of a JVM."""

    def __init__(self, member: Member, host: JavaHost, verb: str, *words: str) -> None:
        self.member, self.host = member, host
        self.name = f"m{next(host.numbers)}"
        host.members[self.name] = member
        host.say(verb, self.name, *words)

    def leave(self) -> None:
        self.host.say("leave", self.name)
        assert self.member.ended.wait(120)
        assert not self.member.failure, self.member.failure

    def kill(self) -> None:
        self.host.say("leave", self.name)
        assert self.member.ended.wait(120)

    def stop(self, number: int) -> None:
        raise AssertionError("a JVM is stopped with all its members")


class OwnJvm(InJvm):
    """A member alone in a JVM."""

    def kill(self) -> None:
        self.host.close()
        self.member.hear("E")

    def stop(self, number: int) -> None:
        self.host.process.send_signal(number)


class Hosts:
    """One JVM for each version, started when first needed."""

    def __init__(self) -> None:
        self._made: dict[str, JavaHost] = {}
        self._all: list[JavaHost] = []

    def of(self, library: str) -> JavaHost:
        if library not in self._made:
            self._made[library] = self.alone(library)
        return self._made[library]

    def alone(self, library: str) -> JavaHost:
        """One that no other member shares."""
        self._all.append(JavaHost(library.removeprefix("java-")))
        return self._all[-1]

    def close(self) -> None:
        for host in self._all:
            host.close()


class Crew:
    """The members of one group on one topic."""

    def __init__(self, bootstrap: str, topic: str, hosts: Hosts) -> None:
        self.bootstrap, self.topic, self.hosts = bootstrap, topic, hosts
        self.group = f"group-of-{topic}"
        self.made: list[Member] = []

    def join(
        self,
        library: str,
        strategy: str = "range",
        instance: str = "-",
        session_ms: int = SESSION_MS,
        alone: bool = False,
    ) -> Member:
        """A consumer that commits what it has read; ``instance`` "-" is no static member."""
        how = (strategy, instance, str(session_ms))
        return self._start(library, "join", self.topic, *how, alone=alone)

    def copy(self, library: str, target: str, identity: str, strategy: str = "range") -> Member:
        """A consumer that copies to the same partition of ``target``, in transactions."""
        return self._start(library, "copy", self.topic, target, identity, strategy)

    def _start(self, library: str, verb: str, *words: str, alone: bool = False) -> Member:
        member, words = Member(), (self.bootstrap, self.group, *words)
        if library.startswith("java"):
            host = self.hosts.alone(library) if alone else self.hosts.of(library)
            member.body = (OwnJvm if alone else InJvm)(member, host, verb, *words)
        elif library == GO:
            member.body = OwnProcess(member, [go_kit.built("member"), *words])
        else:
            script = f"tests.support.clients.{SCRIPTS[verb]}"
            member.body = OwnProcess(member, [sys.executable, "-m", script, library, *words])
        self.made.append(member)
        return member

    def read(self) -> list[str]:
        """All that all members have read."""
        return [value for member in self.made for value in member.read]

    def wait_read(self, count: int, what: str = "records") -> None:
        wait_for(lambda: len(self.read()) >= count, what=what, about=self.made)

    def close(self) -> None:
        for member in self.made:
            if not member.ended.is_set():
                member.body.kill()


def create(bootstrap: str, *topics: str) -> None:
    for topic in topics:
        ConfluentClient(bootstrap).create_topic(topic, PARTITIONS)


def produce(bootstrap: str, topic: str, values: list[str]) -> None:
    """Spread over all partitions."""
    producer = Producer({"bootstrap.servers": bootstrap, "acks": "all"})
    for n, value in enumerate(values):
        producer.produce(topic, value, partition=n % PARTITIONS)
    assert producer.flush(120) == 0


def values(first: int, count: int = 40) -> list[str]:
    return [f"v{n}" for n in range(first, first + count)]


def share(*members: Member) -> bool:
    """Whether every partition has exactly one owner, and each member has some."""
    owned = [p for m in members for p in m.assigned]
    return sorted(owned) == list(range(PARTITIONS)) and all(m.assigned for m in members)


def wait_shared(*members: Member) -> None:
    wait_for(
        lambda: share(*members),
        what="all partitions shared",
        about=members,
    )
