"""The Java clients, through a small driver program that stays up and answers on its stdin."""

from __future__ import annotations

import base64
import subprocess
from collections.abc import Mapping, Sequence
from urllib.parse import quote, unquote

from tests.support.clients.base import (
    Cluster,
    Fetched,
    Message,
    Partition,
    RefusedError,
)
from tests.support.java import java_kit
from tests.support.waiting import PATIENCE


def _b64(data: bytes | None) -> str:
    return "~" if data is None else base64.b64encode(data).decode()


def _bytes(text: str) -> bytes | None:
    return None if text == "~" else base64.b64decode(text)


def _message(m: Message) -> str:
    headers = [part for name, value in m.headers for part in (_b64(name.encode()), _b64(value))]
    return ",".join([str(m.timestamp), _b64(m.key), _b64(m.value), *headers])


def _fetched(row: Sequence[str]) -> Fetched:
    offset, timestamp, kind, key, value, packed = row
    parts = packed.split(",")[1:]
    names = [(_bytes(n) or b"").decode() for n in parts[::2]]
    headers = tuple(zip(names, map(_bytes, parts[1::2]), strict=True))
    inner = Message(_bytes(value), _bytes(key), headers, int(timestamp))
    return Fetched(int(offset), inner, int(kind))


def _pairs(settings: Mapping[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in settings.items()]


def _ids(text: str) -> tuple[int, ...]:
    return tuple(int(i) for i in text.split(",") if i)


class JavaClient:
    sends_headers = True
    sends_nulls = True

    def __init__(self, version: str, *jvm: str) -> None:
        """``connect`` before anything else; ``jvm`` are flags."""
        self.name = f"java-{version}"
        classpath = java_kit.compiled("ClientDriver", version)
        flags = ("-Xmx256M", *java_kit.BRIEF_JVM, *jvm)
        self.process = subprocess.Popen(
            ["java", *flags, "-cp", classpath, "ClientDriver"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    @classmethod
    def of(cls, name: str, bootstrap: str) -> JavaClient:
        """``java-3.9.1`` and so on, without any security."""
        made = cls(name.removeprefix("java-"))
        made.connect({"bootstrap.servers": bootstrap})
        return made

    def connect(self, settings: Mapping[str, str]) -> None:
        """Go on with these settings. RefusedError for settings that make no client."""
        self.call("connect", config=_pairs(settings))

    def call(self, verb: str, **fields: object) -> list[list[str]]:
        """Run one verb of the driver; rows of text fields. RefusedError when the broker refused."""
        parts = [verb]
        for name, value in fields.items():
            values = value if isinstance(value, list) else [value]
            parts += [f"{name}={quote(str(one), safe='')}" for one in values]
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("\t".join(parts) + "\n")
        self.process.stdin.flush()
        rows: list[list[str]] = []
        while (line := self.process.stdout.readline().rstrip("\n")).startswith(":"):
            rows.append(line[1:].split("\t"))
        if line.startswith("!"):
            code, _, text = line[1:].partition("\t")
            raise RefusedError(int(code), unquote(text.replace("+", " ")))
        assert line == ".", f"the Java driver ended: {line!r}"
        return rows

    def produce(
        self,
        topic: str,
        messages: Sequence[Message],
        *,
        partition: int = 0,
        codec: str = "none",
        acks: str = "all",
        idempotent: bool = False,
        max_request: int = 1_048_576,
    ) -> list[int]:
        config = [
            f"compression.type={codec}",
            f"acks={acks}",
            "linger.ms=5",
            "delivery.timeout.ms=120000",
        ]
        config += [
            f"enable.idempotence={str(idempotent).lower()}",
            f"max.request.size={max_request}",
        ]
        config += ["request.timeout.ms=60000", "max.block.ms=60000"]
        packed = [_message(m) for m in messages]
        rows = self.call("produce", topic=topic, partition=partition, config=config, m=packed)
        return [int(row[0]) for row in rows]

    def produce_steadily(self, topic: str, count: int, pause_ms: int) -> dict[str, int]:
        """One record after the other; the producer's metrics of all that it did since it began."""
        rows = self.call("steady", topic=topic, count=count, pause=pause_ms)
        return {name: int(value) for name, value in rows}

    def consume(
        self, topic: str, count: int, *, partition: int = 0, start: int = 0
    ) -> list[Fetched]:
        rows = self.call(
            "consume", topic=topic, partition=partition, start=start, count=count, seconds=PATIENCE
        )
        return [_fetched(row) for row in rows]

    def consume_in_group(self, topic: str, group: str, count: int) -> list[Fetched]:
        config = [f"group.id={group}", "auto.offset.reset=earliest", "enable.auto.commit=false"]
        rows = self.call("subscribe", topic=topic, count=count, seconds=PATIENCE, config=config)
        return [_fetched(row) for row in rows]

    def offsets(self, topic: str, partition: int = 0) -> tuple[int, int]:
        ((first, end),) = self.call("offsets", topic=topic, partition=partition)
        return int(first), int(end)

    def offset_for_time(self, topic: str, timestamp: int, partition: int = 0) -> int | None:
        ((offset,),) = self.call("time", topic=topic, partition=partition, at=timestamp)
        return int(offset) if int(offset) >= 0 else None

    def list_offsets(self, topic: str, spec: str, partition: int = 0) -> tuple[int, int, int]:
        """Offset, timestamp and leader epoch for earliest, latest, max-timestamp or a time."""
        ((offset, timestamp, epoch),) = self.call(
            "list-offsets", topic=topic, partition=partition, spec=spec
        )
        return int(offset), int(timestamp), int(epoch)

    def create_topic(
        self, topic: str, partitions: int = 1, configs: Mapping[str, str] | None = None
    ) -> None:
        pairs = _pairs(configs or {})
        self.call("create", topic=topic, partitions=partitions, config=pairs)

    def delete_topic(self, topic: str) -> None:
        self.call("delete", topic=topic)

    def list_topics(self) -> set[str]:
        return {unquote(row[0]) for row in self.call("list")}

    def describe_topic(self, topic: str) -> list[Partition]:
        return [
            Partition(int(index), int(leader), _ids(replicas), _ids(isr))
            for index, leader, replicas, isr in self.call("describe", topic=topic)
        ]

    def create_partitions(self, topic: str, total: int) -> None:
        self.call("partitions", topic=topic, total=total)

    def configs(self, kind: str, name: str) -> dict[str, list[str]]:
        """Of a TOPIC or BROKER: name -> value, source, read-only, sensitive."""
        rows = self.call("configs", type=kind, name=name)
        return {unquote(row[0]): [unquote(row[1].replace("+", " ")), *row[2:]] for row in rows}

    def topic_configs(self, topic: str) -> dict[str, str]:
        return {name: row[0] for name, row in self.configs("TOPIC", topic).items()}

    def set_topic_configs(self, topic: str, configs: Mapping[str, str]) -> None:
        pairs = _pairs(configs)
        self.call("alter-configs", type="TOPIC", name=topic, op="SET", config=pairs)

    def delete_records(self, topic: str, before: int, partition: int = 0) -> int:
        ((low,),) = self.call("delete-records", topic=topic, partition=partition, before=before)
        return int(low)

    def log_dirs(self, broker: int) -> list[list[str]]:
        """Rows of directory, topic, partition, size, lag, future."""
        return self.call("log-dirs", broker=broker)

    def cluster(self) -> Cluster:
        rows = self.call("cluster")
        brokers = tuple(sorted((int(r[1]), r[2], int(r[3])) for r in rows if r[0] == "broker"))
        return Cluster(rows[0][1], brokers, int(rows[0][2]))

    def close(self) -> None:
        if self.process.stdin is not None:
            self.process.stdin.close()
        self.process.wait(120)
