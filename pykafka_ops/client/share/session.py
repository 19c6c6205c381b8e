"""What a broker remembers of a member of a share group: requests of a session. Pure.

Source: ShareSessionHandler of Kafka's clients.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import IntEnum
from typing import Final

from pykafka_ops.wire.messages import share_acknowledge as ack
from pykafka_ops.wire.messages import share_fetch as sf

Place = tuple[bytes, int]
"""A partition by its topic's id and number."""
Outcomes = Mapping[int, int]
"""What became of records (``AckType``), by offset."""
LAST: Final = -1
MOST_BYTES: Final = 50 << 20


class AckType(IntEnum):
    """What became of a record: nothing was there, done with, for somebody else, for nobody."""

    GAP = 0
    ACCEPT = 1
    RELEASE = 2
    REJECT = 3


class ShareSession:
    """One session with one broker. Each request that was answered is to be told (``answered``), one
    that was not ends it (``reset``): the broker then lets others have what was held."""

    def __init__(self, group: str, member: str, most_bytes: int = MOST_BYTES) -> None:
        """``most_bytes``: of one answer (fetch.max.bytes); the first batch comes anyway."""
        self.group, self.member, self.epoch = group, member, 0
        self.most_bytes = most_bytes
        self.known: frozenset[Place] = frozenset()
        self._asked: frozenset[Place] = frozenset()

    def fetch(self, wanted: Collection[Place], *, most: int, wait_ms: int) -> sf.ShareFetchRequest:
        """Read ``wanted``: about ``most`` records, waiting up to ``wait_ms`` for the first."""
        self._asked = frozenset(wanted)
        added, gone = sorted(self._asked - self.known), sorted(self.known - self._asked)
        return sf.ShareFetchRequest(
            group_id=self.group,
            member_id=self.member,
            share_session_epoch=self.epoch,
            max_wait_ms=wait_ms,
            min_bytes=1,
            max_bytes=self.most_bytes,
            max_records=most,
            batch_size=most,
            topics=[
                sf.FetchTopic(
                    topic_id=topic, partitions=[sf.FetchPartition(partition_index=n) for n in ns]
                )
                for topic, ns in _by_topic(added)
            ],
            forgotten_topics_data=[
                sf.ForgottenTopic(topic_id=topic, partitions=ns) for topic, ns in _by_topic(gone)
            ],
        )

    def acknowledge(
        self, outcomes: Mapping[Place, Outcomes], *, last: bool = False
    ) -> ack.ShareAcknowledgeRequest:
        """Say what became of records; ``last`` ends the session."""
        self._asked = self.known
        return ack.ShareAcknowledgeRequest(
            group_id=self.group,
            member_id=self.member,
            share_session_epoch=LAST if last else self.epoch,
            topics=[
                ack.AcknowledgeTopic(
                    topic_id=topic,
                    partitions=[
                        ack.AcknowledgePartition(
                            partition_index=n,
                            acknowledgement_batches=list(batches(outcomes[topic, n])),
                        )
                        for n in ns
                    ],
                )
                for topic, ns in _by_topic(sorted(outcomes))
            ],
        )

    def answered(self) -> None:
        """The last request was taken."""
        self.known = self._asked
        self.epoch = 1 if self.epoch == 0x7FFFFFFF else self.epoch + 1

    def reset(self) -> None:
        """Begin anew with the next fetch."""
        self.epoch, self.known = 0, frozenset()


def batches(outcomes: Outcomes) -> Iterator[ack.AcknowledgementBatch]:
    """Runs of neighbouring offsets with the same outcome."""
    first = last = kind = -1
    for offset, outcome in sorted(outcomes.items()):
        if kind >= 0 and (offset != last + 1 or outcome != kind):
            yield _batch(first, last, kind)
            first = offset
        elif kind < 0:
            first = offset
        last, kind = offset, outcome
    if kind >= 0:
        yield _batch(first, last, kind)


def _batch(first: int, last: int, kind: int) -> ack.AcknowledgementBatch:
    return ack.AcknowledgementBatch(
        first_offset=first, last_offset=last, acknowledge_types=[int(kind)]
    )


def _by_topic(places: Iterable[Place]) -> list[tuple[bytes, list[int]]]:
    found: dict[bytes, list[int]] = {}
    for topic, number in places:
        found.setdefault(topic, []).append(number)
    return list(found.items())
