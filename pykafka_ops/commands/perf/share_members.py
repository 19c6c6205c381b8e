"""The members of a share group that a performance test reads with: each in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Event, Lock, Thread
from typing import NamedTuple

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.share.consumer import ShareConsumer
from pykafka_ops.client.share.records import SharedRecord
from pykafka_ops.client.share.session import AckType
from pykafka_ops.client.topics import describe_topics
from pykafka_ops.commands.console.errors import SOON, kafka_error, keeps_trying, log
from pykafka_ops.commands.framework.output import say
from pykafka_ops.commands.perf.consume import now_ms
from pykafka_ops.commands.perf.failures import ARGUMENT, PerfError
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode

CALL_SECONDS = 5.0
"""How long one question may take; after that it is asked again."""
_BATCH = 500
"""Records of one poll (max.poll.records)."""
LOGGER = "org.apache.kafka.clients.consumer.KafkaShareConsumer"


class PerfReading(NamedTuple):
    """Read ``wanted`` records, or until none came for ``patience`` ms; ``told`` hears every
    ``interval`` ms of a member: of when, until when (ms), how many bytes and records."""

    wanted: int
    patience: int
    interval: int
    told: Callable[[Sharer, int, int, int, int], None] | None


class Sharer:
    """A member of the group, and what it has read: ``records`` and their ``bytes``."""

    def __init__(
        self, settings: Mapping[str, str], group: str, topic: str, number: int, *, flags: bool
    ) -> None:
        self.client_id, self.number, self.group, self.flags = (
            settings["client.id"],
            number,
            group,
            flags,
        )
        self.topic = topic
        config = ClientConfig.of(settings)
        config.api_timeout = min(config.api_timeout, CALL_SECONDS)
        most = int(settings["fetch.max.bytes"])
        self.cluster = Cluster(config)
        self.consumer = ShareConsumer(self.cluster, group, [topic], self.warn, most_bytes=most)
        self.records = self.bytes = self.acknowledged = 0
        self.said = set[str]()

    def warn(self, text: str) -> None:
        """Say what may pass, each thing once."""
        if text in self.said or len(self.said) > 100:
            return
        self.said.add(text)
        if self.flags:
            who = f"clientId={self.client_id}, groupId={self.group}"
            log("WARN", f"[ShareConsumer {who}] {text}", LOGGER)
        else:
            say(f"pko: {text}")

    def look(self) -> None:
        """What Kafka's client sees in its metadata first: KafkaError for a name that is none, or
        that we may not see; a warning where there is no such topic (yet)."""
        try:
            found = describe_topics(self.cluster, [self.topic])[self.topic]
        except PkoError as error:
            if not keeps_trying(error):
                raise
            self.warn(str(error))
            return
        if not isinstance(found, KafkaError):
            return
        if found.code not in SOON:
            raise kafka_error(found.code, str(found), self.topic)
        self.warn("The metadata response from the cluster reported a recoverable issue: "
                  f"{{{self.topic}={ErrorCode.of(found.code).name}}}")  # fmt: skip

    def poll(self) -> list[SharedRecord]:
        """What came in a tenth of a second, acknowledged; PkoError for what does not pass."""
        try:
            found = self.consumer.poll(_BATCH, 0.1)
            self.consumer.acknowledge(found, AckType.ACCEPT)
        except PkoError as error:
            if not keeps_trying(error):
                raise
            self.warn(str(error))
            return []
        self.acknowledged += len(found)
        return found

    def close(self) -> None:
        """Give back what it holds, leave, and hang up."""
        self.consumer.close()
        self.cluster.close()

    def metrics(self) -> dict[str, float]:
        """What was counted, by Kafka's names."""
        asked = self.cluster.asked
        found = {
            "consumer-metrics:request-total": sum(asked.values()),
            "consumer-share-coordinator-metrics:heartbeat-total": asked["ShareGroupHeartbeat"],
            "consumer-share-fetch-manager-metrics:acknowledgements-send-total": self.acknowledged,
            "consumer-share-fetch-manager-metrics:fetch-total": asked["ShareFetch"],
            "consumer-share-fetch-manager-metrics:records-consumed-total": self.records,
        }
        return {f"{name}:{{client-id={self.client_id}}}": float(n) for name, n in found.items()}


class PerfMembers:
    """So many members; ``records`` and ``bytes`` are those of all. ClientConfigError."""

    def __init__(
        self, settings: dict[str, str], group: str, topic: str, count: int, flags: bool
    ) -> None:
        names = [settings["client.id"]]
        if count > 1:
            names = [f"{names[0]}-{n}" for n in range(1, count + 1)]
        self.all = [
            Sharer({**settings, "client.id": name}, group, topic, number, flags=flags)
            for number, name in enumerate(names, 1)
        ]
        self.lock, self.ended = Lock(), Event()
        self.records = self.bytes = 0
        self.failed: list[PkoError] = []

    def read(self, reading: PerfReading, checked: Callable[[], object]) -> None:
        """Until there is enough, or nothing more; ``checked`` is called by each member first.
        Raises the first PkoError that ended one."""
        threads = [
            Thread(target=self._work, args=(member, reading, checked), daemon=True)
            for member in self.all
        ]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        finally:
            self.ended.set()
            for thread in threads:
                thread.join()
        if self.failed:
            raise self.failed[0]

    def _work(self, member: Sharer, reading: PerfReading, checked: Callable[[], object]) -> None:
        try:
            checked()
            self._read(member, reading)
        except PkoError as error:
            with self.lock:
                self.failed.append(error)
            self.ended.set()

    def _read(self, member: Sharer, reading: PerfReading) -> None:
        if member.flags:
            member.look()
        else:
            member.consumer.join()
        last_seen = last_report = now = now_ms()
        bytes_before = records_before = 0
        while (
            self.records < reading.wanted
            and now - last_seen <= reading.patience
            and not self.ended.is_set()
        ):
            found = member.poll()
            now = now_ms()
            if not found:
                continue
            last_seen = now
            sizes = [len(r.key() or b"") + len(r.value() or b"") for r in found]
            if reading.interval <= 0:
                raise PerfError("Reporting interval must be greater than 0.", ARGUMENT)
            if now - last_report >= reading.interval:  # as Kafka's, with the first of them
                self._count(member, sizes[:1])
                if reading.told:
                    reading.told(member, last_report, now, member.bytes - bytes_before,
                                 member.records - records_before)  # fmt: skip
                last_report, records_before, bytes_before = now, member.records, member.bytes
                sizes = sizes[1:]
            self._count(member, sizes)

    def _count(self, member: Sharer, sizes: Sequence[int]) -> None:
        size = sum(sizes)
        member.records += len(sizes)
        member.bytes += size
        with self.lock:
            self.records += len(sizes)
            self.bytes += size

    def close(self) -> None:
        """Let all of them leave."""
        for member in self.all:
            member.close()
