"""kafka-replica-verification: fetches from every replica, compares, reports, until it is ended."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Mapping

from pykafka_ops.analysis.java_hash import in_hash_order, partition_hash
from pykafka_ops.client import offsets
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.replica_fetch import NOTHING, Replica, fetch_replicas
from pykafka_ops.client.seeking import Offsets, offsets_at
from pykafka_ops.client.topics import TopicDescription, all_topics
from pykafka_ops.commands.console.ending import ending_well
from pykafka_ops.commands.console.errors import log
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.topic_filter import include_list
from pykafka_ops.commands.replicas.compare import OtherOffsetError, compare
from pykafka_ops.errors import PkoError

LOGGER = "org.apache.kafka.tools.ReplicaVerificationTool"
QUIET_SECONDS = 0.5
"""Before the next question where no broker answered the last."""


class VerificationError(PkoError):
    """What the tool cannot begin with."""

    exit_code = 1


def verify(run: Run) -> int:
    """Compare until Ctrl-C, or until replicas have other offsets: 1. PkoError."""
    args = run.args
    wanted = args.text("topics-include") or ""
    if args.has("topic-white-list"):
        wanted = args.text("topic-white-list") or ""
    _check(wanted)
    size, wait_ms = args.number("fetch-size") or 0, args.number("max-wait-ms") or 0
    moment, interval = args.number("time") or 0, args.number("report-interval-ms") or 0
    cluster = run.cluster()
    known = all_topics(cluster)
    regex = include_list(wanted)
    topics = [topic for topic in known if regex.fullmatch(topic.name)]
    if not topics:
        log("ERROR", "No topics found. [topics-include] if specified, is either filtering out all "
            "topics or there is no topic.", LOGGER)  # fmt: skip
        return 1
    by_broker = _by_broker(topics)
    _check_brokers(cluster, by_broker)
    check = ReplicaCheck(_first_offsets(cluster, topics, moment), by_broker, interval)
    with ending_well():
        _say("verification process is started")
        while True:
            try:
                answered = check.round(cluster, size, wait_ms)
            except OtherOffsetError as error:
                _say(str(error))
                return 1
            if not answered:
                time.sleep(QUIET_SECONDS)


def _check(wanted: str) -> None:
    try:
        re.compile(wanted)
    except re.error:
        raise VerificationError(f"{wanted} is an invalid regex") from None


def _by_broker(topics: list[TopicDescription]) -> dict[int, list[Partition]]:
    found: dict[int, list[Partition]] = {}
    for topic in topics:
        for partition in topic.partitions:
            for broker in partition.replicas:
                found.setdefault(broker, []).append((topic.name, partition.number))
    return found


def _check_brokers(cluster: Cluster, by_broker: Mapping[int, object]) -> None:
    """Kafka's ends with a NullPointerException where one is not there."""
    gone = sorted(set(by_broker) - set(cluster.brokers()))
    if gone:
        names = ", ".join(map(str, gone))
        raise VerificationError(
            f"brokers that hold replicas are not there: {names}; all must be up at the start"
        )


def _first_offsets(cluster: Cluster, topics: list[TopicDescription], moment: int) -> Offsets:
    places = [(t.name, p.number) for t in topics for p in t.partitions]
    if moment < offsets.EARLIEST:
        name, number = places[0]
        raise VerificationError(f"The target time for partition {name}-{number} is {moment}. "
                                "The target time cannot be negative.")  # fmt: skip
    found = offsets_at(cluster, places, moment)
    for (name, number), offset in found.items():
        if offset < 0:  # a NullPointerException in Kafka's
            raise VerificationError(f"{name}-{number} has no record at {moment} or later")
    return found


def _say(text: str) -> None:
    now = time.time()
    stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now))
    sys.stdout.write(f"{stamp},{int(now * 1000) % 1000:03d}: {text}\n")
    sys.stdout.flush()


class ReplicaCheck:
    """Where each partition is verified to; ``interval``: ms between reports."""

    def __init__(
        self, first: Offsets, by_broker: Mapping[int, list[Partition]], interval: int
    ) -> None:
        self.offsets, self.by_broker, self.interval = first, by_broker, interval
        self.order = in_hash_order(first, partition_hash)
        self.reported = time.monotonic()
        self.last: Partition | None = None
        self.last_offset = -1

    def round(self, cluster: Cluster, size: int, wait_ms: int) -> bool:
        """Fetch, compare, report where it is time; whether any broker answered.

        Raises OtherOffsetError, UnreadableReplicaError.
        """
        wanted = {b: {p: self.offsets[p] for p in places} for b, places in self.by_broker.items()}
        answers = fetch_replicas(cluster, wanted, partition_bytes=size, wait_ms=wait_ms)
        replicas: dict[Partition, dict[int, Replica]] = {}
        for broker, places in self.by_broker.items():
            answer = answers[broker]
            for place in places:
                found = NOTHING if isinstance(answer, PkoError) else answer.get(place, NOTHING)
                replicas.setdefault(place, {})[broker] = found
        lag = -1
        for place in self.order:
            compared = compare(place, self.offsets[place], replicas[place])
            for text in compared.differences:
                _say(text)
            self.offsets[place] = compared.offset
            behind = max(r.high_watermark for r in replicas[place].values()) - compared.offset
            if behind > lag:
                lag, self.last, self.last_offset = behind, place, compared.offset
        self._report(lag)
        return any(not isinstance(answer, PkoError) for answer in answers.values())

    def _report(self, lag: int) -> None:
        now = time.monotonic()
        if (now - self.reported) * 1000 <= self.interval:
            return
        self.reported = now
        name = f"{self.last[0]}-{self.last[1]}" if self.last else "null"
        _say(f"max lag is {lag} for partition {name} at offset {self.last_offset} among "
             f"{len(self.order)} partitions")  # fmt: skip
