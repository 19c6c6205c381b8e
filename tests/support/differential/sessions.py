"""Fetch sessions: full and incremental fetches, and what breaks them."""

from __future__ import annotations

from typing import Any

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.messages.fetch import FetchPartition, FetchRequest, ForgottenTopic
from tests.support.differential.core import Cases, Side
from tests.support.differential.fetch import UNKNOWN_ID, fill, part, topic_of

CASES = Cases()
MASKS = ("*/crc",)


class Session:
    """A client with a fetch session."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.id = 0

    def ask(
        self,
        note: str,
        epoch: int,
        *parts: FetchPartition,
        forget: tuple[int, ...] = (),
        version: int | None = None,
        **more: Any,
    ) -> Any:
        """Fetch with this epoch; what is not asked for stays as the session has it."""
        name = more.pop("name", "t")
        topics = more.pop("topics", None)
        if topics is None:
            topics = [topic_of(self.side, list(parts), name)] if parts else []
        known = topic_of(self.side, [], name)
        forgotten = [
            ForgottenTopic(topic=known.topic, topic_id=known.topic_id, partitions=list(forget))
        ]
        request = FetchRequest(
            max_wait_ms=more.pop("max_wait_ms", 0),
            min_bytes=1,
            session_id=more.pop("session_id", self.id),
            session_epoch=epoch,
            topics=topics,
            forgotten_topics_data=forgotten if forget else [],
        )
        answer = self.side.ask(request, version, note)
        if answer is not None and answer.session_id:
            self.id = answer.session_id
        return answer


@CASES.add(ApiKey.FETCH, "7-17", masks=MASKS)
def sessions(side: Side, version: int) -> None:
    side.create(partitions=3)
    fill(side, count=1)
    client = Session(side)
    client.ask("full", 0, part(0), part(1), part(2))
    client.ask("nothing new asked", 1)
    client.ask("move on", 2, part(0, 3))
    fill(side, index=1, count=1)
    client.ask("news of another", 3)
    client.ask("still there", 4)
    client.ask("forget it", 5, forget=(1,))
    fill(side, index=1, count=1)
    client.ask("is forgotten", 6)
    client.ask("ask again", 7, part(1, 3))
    client.ask("out of range", 8, part(0, 99))
    client.ask("still out of range", 9)
    client.ask("back in range", 10, part(0, 3))
    client.ask("unknown partition", 11, part(9))
    client.ask("unknown partition stays", 12)
    client.ask("wrong epoch", 9)
    client.ask("epoch too high", 30)
    client.ask("right epoch", 13)
    client.ask("forget what was never there", 14, forget=(8,))
    client.ask("forget and ask", 15, part(2, 0), forget=(2,))
    client.ask("forget all", 16, forget=(0, 1, 2, 9))
    client.ask("is gone", 17)


@CASES.add(ApiKey.FETCH, "7-17", masks=MASKS)
def session_ends(side: Side, version: int) -> None:
    side.create(partitions=2)
    fill(side, count=1)
    client = Session(side)
    client.ask("unknown session", 1, part(0), session_id=12345)
    client.ask("unknown session, epoch 0", 0, part(0), session_id=12345)
    client.ask("session 0, epoch 1", 1, part(0), session_id=0)
    client.ask("session 0, epoch -1", -1, part(0), session_id=0)
    client.ask("full", 0, part(0), part(1))
    client.ask("close", -1)
    client.ask("closed", 1)
    client.ask("full again", 0, part(0), session_id=0)
    first = client.id
    client.ask("replaced", 0, part(1))
    client.ask("the old one", 1, session_id=first)
    client.ask("close and fetch", -1, part(0))
    client.ask("nothing in a full one", 0, session_id=0)
    client.ask("epoch -2", -2, part(0), session_id=0)
    client.ask("only unknown", 0, part(7), session_id=0)
    client.ask("only unknown, incremental", 1)
    client.ask("twice in one", 0, part(0), part(0, 3), session_id=0)
    client.ask("twice in one, incremental", 1, part(0, 3), part(0, 0))


@CASES.add(ApiKey.FETCH, "7-17", masks=MASKS)
def session_of_an_unknown_topic(side: Side, version: int) -> None:
    side.create()
    client = Session(side)
    topics = [topic_of(side, [part()]), topic_of(side, [part()], "later")]
    client.ask("full", 0, topics=topics)
    client.ask("again", 1)
    side.create("later")
    client.ask("it is there now", 2)
    client.ask("and again", 3)
    wrong = topic_of(side, [part()])
    wrong.topic_id = UNKNOWN_ID
    client.ask("another id", 4, topics=[wrong])
    client.ask("another id again", 5)


@CASES.add(ApiKey.FETCH, "7-17", masks=MASKS)
def session_of_names_and_ids(side: Side, version: int) -> None:
    other = 12 if version > 12 else 13
    side.create(partitions=2)
    fill(side, count=1)
    client = Session(side)
    client.ask("full", 0, part(0))
    client.ask("the other kind", 1, version=other)
    client.ask("the other kind, with a topic", 1, part(1), version=other)
    client.ask("goes on", 1)
    client.ask("the other kind afterwards", 2, part(1), version=other)
