"""What the steps of one round share, and how a step says where it hurts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeVar

from pykafka_ops.client.cluster import Cluster, Node
from pykafka_ops.client.failure_text import in_one_line
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.membership import GroupMember
from pykafka_ops.client.topics import TopicDescription
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import PkoError

T = TypeVar("T")
POLL_SECONDS = 0.01


class StepError(PkoError):
    """A step failed at ``where``; ``partly``: what depends on it can be tried all the same."""

    def __init__(self, where: str, reason: str, *, partly: bool = False) -> None:
        super().__init__(reason)
        self.where, self.partly = where, partly


class NothingToDoError(PkoError):
    """A step has nothing to do; the text says why."""


class Wording(NamedTuple):
    """What those who run steps call their options, for the texts that name them."""

    topic: str = "topic"
    brokers: str = "brokers"
    read_only: str = "read-only"
    timeout: str = "a longer timeout"


class SmokeSite:
    """One round: the cluster, the names of what is made there, what steps found out.

    ``named``: the topic that was asked for. ``places``: a partition that each broker leads.
    ``written``: the record at the offset of each partition.
    """

    def __init__(
        self,
        cluster: Cluster,
        name: str,
        *,
        named: str | None,
        read_only: bool,
        brokers: int | None,
        replication_factor: int | None,
        wording: Wording | None = None,
    ) -> None:
        self.wording = wording or Wording()
        self.cluster, self.name, self.named = cluster, name, named
        self.read_only, self.wanted = read_only, brokers
        self.replication_factor = replication_factor
        self.transactional_id = name
        self.nodes: dict[int, Node] = {}
        self.topics: list[TopicDescription] = []
        self.places: dict[int, Partition] = {}
        self.written: dict[Partition, tuple[int, Record]] = {}
        self.member: GroupMember | None = None
        self.group_made = False
        self.made: list[str] = []
        """Topics that this round has made, or may have."""

    @property
    def topic(self) -> str:
        """The topic that is used."""
        return self.named or self.name

    def in_words(self, error: PkoError) -> str:
        """An error in one line."""
        return in_one_line(error, timeout=self.wording.timeout)

    def replicas(self) -> int:
        """How many replicas a partition of this round gets."""
        return self.replication_factor or min(3, len(self.nodes))

    def broker(self, number: int) -> str:
        """A broker as it is shown where something hurts."""
        node = self.nodes.get(number) or self.cluster.nodes.get(number)
        return f"broker {number} at {node.address}" if node else f"broker {number}"

    def at(self, partition: Partition) -> str:
        """A partition, and the broker that leads it."""
        leader = next((b for b, p in self.places.items() if p == partition), None)
        name = f"{partition[0]}-{partition[1]}"
        return name if leader is None else f"{name} on broker {leader}"

    def until(self, found: Callable[[], T | None], late: Callable[[], PkoError]) -> T:
        """What ``found`` gives as soon as it is not None; ``late`` is raised out of time."""
        deadline = time.monotonic() + self.cluster.config.api_timeout
        while True:
            value = found()
            if value is not None:
                return value
            if time.monotonic() + POLL_SECONDS > deadline:
                raise late()
            time.sleep(POLL_SECONDS)

    def every(self, found: Mapping[Partition, T | PkoError]) -> dict[Partition, T]:
        """The values of all partitions; StepError at the first without one."""
        good = {p: v for p, v in found.items() if not isinstance(v, PkoError)}
        bad = [(p, v) for p, v in found.items() if isinstance(v, PkoError)]
        if bad:
            partition, error = bad[0]
            raise StepError(self.at(partition), f"{self.in_words(error)}{more(bad)}")
        return good


def more(bad: Iterable[object]) -> str:
    """What to say of those behind the first."""
    count = len(list(bad)) - 1
    return f" (and {count} more)" if count else ""
