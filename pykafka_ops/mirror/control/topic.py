"""The control topic at the target: read up to its end, and written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.failure_text import in_one_line
from pykafka_ops.client.fetch import FetchedBatches, end_of, fetch, records_from
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.offsets import EARLIEST, Offset, list_offsets
from pykafka_ops.client.produce import produce
from pykafka_ops.client.topic_changes import NewTopic, create_topics
from pykafka_ops.client.topics import describe_topics
from pykafka_ops.disk.build import build_plain
from pykafka_ops.errors import CorruptError, KafkaError, PkoError
from pykafka_ops.mirror.control.state import ControlState, Entry
from pykafka_ops.mirror.naming import control_topic
from pykafka_ops.wire.codes import ErrorCode

COMPACTED: Final = {"cleanup.policy": "compact"}
MOST_TURNS: Final = 10_000
MOST_ENTRIES: Final = 1_000
"""Of a batch; each is below 1 kB."""


class ControlTopic:
    """The topic of one source. ``state`` is as of the last ``catch_up``."""

    def __init__(self, target: Cluster, source: str) -> None:
        self.state = ControlState()
        self.name = control_topic(source)
        self._cluster = target
        self._place: Partition = self.name, 0
        self._id = b""
        self._next = -1

    def ensure(self, replication_factor: int) -> None:
        """Make the topic where it is not there (0: the target's default). Raises PkoError."""
        if self._found():
            return
        wanted = NewTopic(self.name, 1, replication_factor or -1, configs=COMPACTED)
        made = create_topics(self._cluster, [wanted])[self.name]
        if isinstance(made, KafkaError) and made.code != ErrorCode.TOPIC_ALREADY_EXISTS:
            raise PkoError(f"cannot make {self.name} at the target: {in_one_line(made)}")

    def catch_up(self) -> ControlState:
        """Read to the end; an empty state where there is no such topic. Raises PkoError."""
        if not self._found():
            self.state, self._next = ControlState(), -1
            return self.state
        if self._next < 0:
            first = list_offsets(self._cluster, {self._place: EARLIEST})[self._place]
            self._next = first.offset if isinstance(first, Offset) else _raised(first)
        for _ in range(MOST_TURNS):
            answer = fetch(self._cluster, {self._place: self._next})[self._place]
            if isinstance(answer, PkoError):
                if isinstance(answer, KafkaError) and answer.code == ErrorCode.OFFSET_OUT_OF_RANGE:
                    self._next = -1
                    return self.catch_up()
                raise answer
            if not self._take(answer):
                break
        return self.state

    def write(self, entries: Sequence[Entry], now_ms: int) -> None:
        """Add records, and read them. Raises PkoError."""
        if not entries:
            return
        for at in range(0, len(entries), MOST_ENTRIES):
            batch = build_plain(entries[at : at + MOST_ENTRIES], now_ms)
            found = produce(self._cluster, {self._place: batch})[self._place]
            if isinstance(found, PkoError):
                raise PkoError(f"cannot write to {self.name} at the target: {in_one_line(found)}")
        self.catch_up()

    def _found(self) -> bool:
        """Whether the topic is there; one that was made anew is read from its start."""
        found = describe_topics(self._cluster, [self.name])[self.name]
        if isinstance(found, KafkaError):
            if found.code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
                return False
            raise PkoError(f"cannot read {self.name} at the target: {in_one_line(found)}")
        if found.id != self._id:
            self._id, self._next, self.state = found.id, -1, ControlState()
        return True

    def _take(self, answer: FetchedBatches) -> bool:
        """Add what was fetched; whether there was anything."""
        end = end_of(answer.records, self._next)
        if end <= self._next:
            return False
        try:
            self.state.take((r.key, r.value) for r in records_from(answer.records, self._next))
        except CorruptError as error:
            raise PkoError(f"{self.name} at the target has a damaged batch: {error}") from None
        self._next = end
        return True


def _raised(error: PkoError | None) -> int:
    raise error or PkoError("no offset")
