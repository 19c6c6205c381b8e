"""What a broker remembers of a reader, so that each Fetch says only what changed (KIP-227). Pure.

Source: FetchSessionHandler of Kafka's consumer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from pykafka_ops.client.answers import by_topic
from pykafka_ops.client.leaders import Partition
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import fetch as ft
from pykafka_ops.wire.types import ZERO_UUID

BY_NAME: Final = 12
"""The last version that names topics; later ones want their ids."""
BY_ID: Final = 13
_LOST: Final = frozenset(
    (
        ErrorCode.FETCH_SESSION_ID_NOT_FOUND,
        ErrorCode.INVALID_FETCH_SESSION_EPOCH,
        ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR,
    )
)


class FetchFrom(NamedTuple):
    """Where to read a partition, how many bytes, the topic's id, and the leader epoch of the record
    before (-1: unknown), which lets the leader say where the logs differ (version 12)."""

    offset: int
    most: int
    topic_id: bytes = ZERO_UUID
    last_epoch: int = -1


class FetchTerms(NamedTuple):
    """How long to wait for how much: ms, bytes; the most bytes of an answer."""

    wait_ms: int
    min_bytes: int
    max_bytes: int
    read_committed: bool
    rack: str = ""


class ReaderSession:
    """One session with one broker: ``request`` makes the next question, ``take`` reads the answer
    to it. Where ids of topics are known of all, they are used (``by_id``)."""

    def __init__(self, *, by_id: bool) -> None:
        self.by_id = by_id
        self.id = self.epoch = 0
        self._known: dict[Partition, FetchFrom] = {}
        self._names: dict[bytes, str] = {}

    @property
    def versions(self) -> tuple[int, int]:
        """The lowest and highest version of Fetch that can carry it."""
        return (BY_ID, 0x7FFF) if self.by_id else (4, BY_NAME)

    def request(self, wanted: Mapping[Partition, FetchFrom], terms: FetchTerms) -> ft.FetchRequest:
        """The next question, which names what is new, changed or no longer wanted."""
        full = self.epoch == 0
        known = {} if full else self._known
        changed = {p: at for p, at in wanted.items() if known.get(p) != at}
        gone = [p for p in known if p not in wanted]
        self._known = dict(wanted)
        ids = {topic: at.topic_id for (topic, _), at in wanted.items()}
        old = {topic: at.topic_id for (topic, _), at in known.items()}
        self._names = {topic_id: topic for topic, topic_id in ids.items()} if self.by_id else {}
        topics = by_topic(
            (
                topic,
                ft.FetchPartition(
                    partition=n,
                    fetch_offset=at.offset,
                    last_fetched_epoch=at.last_epoch,
                    partition_max_bytes=at.most,
                ),
            )
            for (topic, n), at in changed.items()
        )
        return ft.FetchRequest(
            max_wait_ms=terms.wait_ms,
            min_bytes=terms.min_bytes,
            max_bytes=terms.max_bytes,
            isolation_level=int(terms.read_committed),
            session_id=self.id,
            session_epoch=self.epoch,
            rack_id=terms.rack,
            topics=[
                ft.FetchTopic(topic=t, topic_id=ids[t] if self.by_id else ZERO_UUID, partitions=p)
                for t, p in topics.items()
            ],
            forgotten_topics_data=[
                ft.ForgottenTopic(
                    topic=t, topic_id=old[t] if self.by_id else ZERO_UUID, partitions=p
                )
                for t, p in by_topic(gone).items()
            ],
        )

    def take(self, answer: ft.FetchResponse) -> Iterator[tuple[Partition, ft.PartitionData]]:
        """What the answer says of each partition it names; nothing where the session is lost, which
        the next request begins anew. Any other error of the whole is the caller's to look at."""
        if answer.error_code in _LOST:
            self.reset()
            return
        if answer.error_code:
            self.reset()
        elif not answer.session_id:
            self.id = self.epoch = 0  # the broker keeps no session for us
        else:
            fresh = self.epoch == 0
            self.id = answer.session_id
            self.epoch = 1 if fresh or self.epoch == 0x7FFFFFFF else self.epoch + 1
        for topic in answer.responses:
            name = self._names.get(topic.topic_id) if self.by_id else topic.topic
            for part in topic.partitions:
                if name is not None and (name, part.partition_index) in self._known:
                    yield (name, part.partition_index), part

    def reset(self) -> None:
        """Begin anew with the next request."""
        self.id = self.epoch = 0
        self._known = {}
