"""What every client library can be asked in tests, in one vocabulary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

CREATE_TIME, LOG_APPEND_TIME = 0, 1
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
Header = tuple[str, bytes | None]


class RefusedError(Exception):
    """What the broker refused, with Kafka's error code, whichever library said it."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"error {code}: {text}")
        self.code = code


@dataclass(frozen=True)
class Message:
    """A record to produce; times are milliseconds since 1970."""

    value: bytes | None
    key: bytes | None = None
    headers: tuple[Header, ...] = ()
    timestamp: int = 1_700_000_000_000


@dataclass(frozen=True)
class Fetched:
    """A record as a consumer got it."""

    offset: int
    message: Message
    timestamp_type: int


@dataclass(frozen=True)
class Partition:
    index: int
    leader: int
    replicas: tuple[int, ...]
    isr: tuple[int, ...]


@dataclass(frozen=True)
class Cluster:
    cluster_id: str
    brokers: tuple[tuple[int, str, int], ...]
    controller: int


class Client(Protocol):
    """One client library bound to one cluster."""

    name: str
    sends_headers: bool
    sends_nulls: bool  # headers without value, records with neither key nor value

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
        """Send in order and wait; the offset of each (-1 with acks 0). RefusedError else."""

    def consume(
        self, topic: str, count: int, *, partition: int = 0, start: int = 0
    ) -> list[Fetched]:
        """``count`` records of an assigned partition from ``start`` on."""

    def consume_in_group(self, topic: str, group: str, count: int) -> list[Fetched]:
        """``count`` records of a topic from its start on, as a member of a group that then commits
        what it has read and leaves."""

    def offsets(self, topic: str, partition: int = 0) -> tuple[int, int]:
        """First and end offset."""

    def offset_for_time(self, topic: str, timestamp: int, partition: int = 0) -> int | None:
        """Offset of the first record at or after ``timestamp``, None when there is none."""

    def create_topic(
        self, topic: str, partitions: int = 1, configs: Mapping[str, str] | None = None
    ) -> None: ...

    def delete_topic(self, topic: str) -> None: ...

    def list_topics(self) -> set[str]: ...

    def describe_topic(self, topic: str) -> list[Partition]: ...

    def create_partitions(self, topic: str, total: int) -> None: ...

    def topic_configs(self, topic: str) -> dict[str, str]: ...

    def set_topic_configs(self, topic: str, configs: Mapping[str, str]) -> None: ...

    def delete_records(self, topic: str, before: int, partition: int = 0) -> int:
        """New first offset."""

    def cluster(self) -> Cluster: ...

    def close(self) -> None: ...
