"""Consumers of one group that come and go while the cluster suffers: what was committed is never
forgotten, and nothing is passed over."""

from __future__ import annotations

import contextlib
import threading
import time

import confluent_kafka as ck

from tests.support.cluster.faulty_cluster import FaultyCluster
from tests.support.waiting import wait_for

SESSION_MS = 6000
MEMBERS = 2
PATIENCE_SECONDS = 20.0
"""So long a member waits for the answer to a commit; then another takes its place."""
CHANGE_SECONDS = 3.0
"""So often the last member leaves, or comes back."""


class CheckedGroup:
    """Reads all of a topic from its first record on; each member commits what it has read.

    Nothing is waited for: librdkafka 2.16 can wait for ever for a coordinator that went away.
    """

    def __init__(self, cluster: FaultyCluster, topic: str, partitions: int) -> None:
        self.cluster, self.topic = cluster, topic
        self.committed = dict.fromkeys(range(partitions), 0)
        """Acknowledged to one member or another."""
        self.reached = dict.fromkeys(range(partitions), 0)
        """What follows the last record that anybody was given."""
        self.commits = 0
        self.wrong: list[str] = []
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self) -> CheckedGroup:
        """Begin to read."""
        for number in range(MEMBERS):
            thread = threading.Thread(target=self._run, args=(number == MEMBERS - 1,))
            self._threads.append(thread)
            thread.start()
        return self

    def _run(self, restless: bool) -> None:
        while not self._stop.is_set():
            until = time.monotonic() + CHANGE_SECONDS if restless else None
            Member(self).live(until, self._stop)
            if restless:
                self._stop.wait(CHANGE_SECONDS)

    def given(self, partition: int, offset: int, *, first: bool, known: int) -> None:
        """A member got a record; ``first`` since the partition is its own, at which time
        ``known`` was committed."""
        with self._lock:
            if first and offset < known:
                self.wrong.append(f"{partition}@{offset} after {known} was committed")
            if offset > self.reached[partition]:
                reached = self.reached[partition]
                self.wrong.append(f"{partition}@{offset}, but nobody was given {reached}")
            self.reached[partition] = max(self.reached[partition], offset + 1)

    def acknowledged(self, ends: dict[int, int]) -> None:
        """A commit of these offsets was answered."""
        with self._lock:
            self.commits += 1
            for partition, end in ends.items():
                self.committed[partition] = max(self.committed[partition], end)

    def wait_progress(self) -> None:
        """Until some more commits are answered."""
        goal = self.commits + 5
        wait_for(lambda: self.commits >= goal, what="commits go on", about=self.wrong)

    def check(self, ends: dict[int, int]) -> None:
        """It comes to the ``ends`` of all partitions, and the cluster remembers that."""
        wait_for(lambda: self.committed == ends, what=f"commits up to {ends}",
                 about=self.committed)  # fmt: skip
        self.close()
        assert not self.wrong, self.wrong[:5]
        config = {**self.cluster.client, "group.id": self.group}
        consumer = ck.Consumer({**config, "log_level": 0})
        try:
            wanted = [ck.TopicPartition(self.topic, p) for p in ends]
            found = {p.partition: p.offset for p in consumer.committed(wanted, 60)}
        finally:
            consumer.close()
        assert found == ends, "a commit was lost"

    @property
    def group(self) -> str:
        """Its name."""
        return f"group-{self.topic}"

    def close(self) -> None:
        """End all members. AssertionError if one does not end."""
        self._stop.set()
        for thread in self._threads:
            thread.join(120)
        assert not any(thread.is_alive() for thread in self._threads), "a member hangs"


class Member:
    """One consumer from its coming to its going."""

    def __init__(self, group: CheckedGroup) -> None:
        self._group = group
        self._known: dict[int, int] = {}
        self._owed: dict[int, int] = {}
        """What was read and is not known to be committed."""
        self._asked = 0.0
        """When the commit under way was sent; 0 if there is none."""
        self._consumer = ck.Consumer(
            {
                **group.cluster.client,
                "group.id": group.group,
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "session.timeout.ms": SESSION_MS,
                "heartbeat.interval.ms": 500,
                "socket.timeout.ms": 5000,
                "reconnect.backoff.max.ms": 100,
                "topic.metadata.refresh.interval.ms": 1000,
                "on_commit": self._committed,
                "log_level": 0,
            }
        )

    def live(self, until: float | None, stop: threading.Event) -> None:
        """Read and commit until that time (monotonic), until told to stop, or until a commit was
        not answered for long."""
        self._consumer.subscribe([self._group.topic], on_assign=self._assigned)
        while not stop.is_set() and (until is None or time.monotonic() < until):
            self._read()
            if self._asked and time.monotonic() > self._asked + PATIENCE_SECONDS:
                break
            if self._owed and not self._asked:  # two at a time may be tried again the wrong way
                wanted = [ck.TopicPartition(self._group.topic, *end) for end in self._owed.items()]
                with contextlib.suppress(ck.KafkaException):  # tried again
                    self._consumer.commit(offsets=wanted, asynchronous=True)
                    self._asked = time.monotonic()
        # Not waited for either, for the same reason.
        threading.Thread(target=self._consumer.close, daemon=True).start()

    def _assigned(self, _: object, partitions: list[ck.TopicPartition]) -> None:
        """New partitions: remember what is committed before anybody asks the coordinator."""
        self._owed.clear()
        for one in partitions:
            self._known[one.partition] = self._group.committed[one.partition]

    def _read(self) -> None:
        for message in self._consumer.consume(500, 0.1):
            if message.error() is None:
                partition, offset = message.partition(), message.offset()
                known = self._known.pop(partition, None)
                self._group.given(partition, offset, first=known is not None, known=known or 0)
                self._owed[partition] = offset + 1

    def _committed(self, error: ck.KafkaError | None, done: list[ck.TopicPartition]) -> None:
        """What was refused is read again by whoever has the partition now."""
        self._asked = 0.0
        if error is None:
            ends = {one.partition: one.offset for one in done if one.error is None}
            self._group.acknowledged(ends)
            for owed in ends.items() & self._owed.items():
                del self._owed[owed[0]]
