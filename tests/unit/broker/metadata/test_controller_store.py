"""What the controller wants written is written, or it is told why not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.broker.metadata import registration
from pykafka_ops.broker.metadata.controller_store import ControllerStore
from pykafka_ops.broker.metadata.embedded import EmbeddedStore
from pykafka_ops.broker.metadata.store import Op, OpResult
from pykafka_ops.broker.metadata.znodes.admin import TopicDeletions
from pykafka_ops.broker.metadata.znodes.brokers import BrokerIdZNode
from pykafka_ops.broker.metadata.znodes.cluster import ControllerZNode
from pykafka_ops.broker.metadata.znodes.topics import TopicZNode
from pykafka_ops.broker.state.controller.leadership import (
    LeaderAndIsr,
    ReplicaAssignment,
    TopicRecord,
)
from pykafka_ops.broker.state.controller.steps import (
    CreateState,
    CreateTopic,
    MarkDeleted,
    RemoveTopic,
    SetAssignment,
    UnmarkDeleted,
    UpdateState,
    WriteProblem,
)
from tests.support.memory.controller_world import broker_info

Body = Callable[[Any, ControllerStore], Coroutine[Any, Any, None]]
ONE = {0: ReplicaAssignment.of([0])}
STATE = LeaderAndIsr(0, 0, (0,), 1)


def create(topic: str, partitions: int = 1, topic_id: bytes = b"i") -> CreateTopic:
    return CreateTopic(
        topic=topic,
        topic_id=topic_id * 16,
        assignments=dict.fromkeys(range(partitions), ReplicaAssignment.of([0])),
        states=dict.fromkeys(range(partitions), STATE),
        config={},
    )


class Forgetful(EmbeddedStore):
    """Hears no answer to its transactions once, and tries again, as over a lost connection."""

    lost = False

    async def multi(self, ops: Iterable[Op]) -> list[OpResult]:
        wanted = list(ops)
        if self.lost:
            await super().multi(wanted)
        return await super().multi(wanted)


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., None]:
    """Run a coroutine with a tree and the view of its controller."""

    def go(body: Body, kind: type[EmbeddedStore] = EmbeddedStore) -> None:
        async def main() -> None:
            store = kind(tmp_path / "m.db", clock=lambda: 1, durable=False)
            await registration.ensure_paths(store)
            term = await registration.become_controller(store, 0, 1)
            await body(store, ControllerStore(store, term))
            await store.close()

        asyncio.run(main())

    return go


def test_each_item_succeeds_or_fails_by_itself(run: Callable[..., None]) -> None:
    async def body(store: EmbeddedStore, tree: ControllerStore) -> None:
        assert await tree.write([create("a"), create("b")]) == [None, None]
        stale = STATE.elect(1, [1], 1)._replace(partition_epoch=7)
        problems = await tree.write(
            [
                create("a", topic_id=b"j"),
                create("c"),
                UpdateState(topic="a", partition=0, state=stale),
                UpdateState(topic="b", partition=0, state=STATE.elect(1, [1], 1)),
                UpdateState(topic="x", partition=0, state=STATE),
                CreateState(topic="b", partition=0, state=stale),
                CreateState(topic="b", partition=1, state=STATE),
                CreateState(topic="x", partition=0, state=STATE),
            ]
        )
        assert problems == [
            WriteProblem.EXISTS,
            None,
            WriteProblem.STALE,
            None,
            WriteProblem.MISSING,
            WriteProblem.EXISTS,
            None,
            WriteProblem.MISSING,
        ]
        assert await tree.read_states([("b", 0), ("b", 1), ("x", 0)]) == [
            LeaderAndIsr(1, 1, (1,), 1, partition_epoch=1),
            STATE,
            None,
        ]
        assert set(await store.children("/brokers/topics")) == {"a", "b", "c"}

    run(body)


def test_of_a_huge_topic_that_exists_nothing_is_written(run: Callable[..., None]) -> None:
    async def body(store: EmbeddedStore, tree: ControllerStore) -> None:
        await tree.write([create("a")])
        huge = create("a", 3000, b"j")
        assert await tree.write([huge, create("b")]) == [WriteProblem.EXISTS, None]
        assert await store.children("/brokers/topics/a/partitions") == ["0"]

    run(body)


def test_states_are_added_where_the_topic_has_none_yet(run: Callable[..., None]) -> None:
    async def body(store: EmbeddedStore, tree: ControllerStore) -> None:
        for topic in ("s", "t"):
            await store.create(TopicZNode.path(topic), TopicZNode.encode(b"i" * 16, ONE))
        two = {**ONE, 1: ReplicaAssignment.of([0])}
        problems = await tree.write(
            [
                CreateState(topic="s", partition=0, state=STATE),
                SetAssignment(topic="t", topic_id=b"i" * 16, assignments=two, states={1: STATE}),
            ]
        )
        assert problems == [None, None]
        snapshot = await tree.snapshot()
        assert snapshot.topics["t"].partitions == two
        assert snapshot.states == {("s", 0): STATE, ("t", 1): STATE}

    run(body)


def test_marks_come_and_go_any_number_of_times(run: Callable[..., None]) -> None:
    async def body(store: EmbeddedStore, tree: ControllerStore) -> None:
        assert await tree.write([MarkDeleted(topic="t"), MarkDeleted(topic="t")]) == [None, None]
        assert await store.children(TopicDeletions.path) == ["t"]
        assert await tree.write([UnmarkDeleted(topic="t"), UnmarkDeleted(topic="t")]) == [None] * 2
        assert await tree.write([RemoveTopic(topic="t")]) == [None]

    run(body)


def test_own_changes_need_no_look_at_all_topics(run: Callable[..., None]) -> None:
    async def body(store: EmbeddedStore, tree: ControllerStore) -> None:
        assert await tree.topic_names() == []
        await tree.write([create("a"), create("b"), create("a", topic_id=b"j")])
        await tree.write([RemoveTopic(topic="a"), RemoveTopic(topic="never")])
        assert await tree.topic_names() is None
        await store.create("/brokers/topics/x")
        assert await tree.topic_names() == ["b", "x"]

    run(body)


def test_a_topic_has_changed_where_somebody_else_wrote_it(run: Callable[..., None]) -> None:
    async def body(store: EmbeddedStore, tree: ControllerStore) -> None:
        ours, theirs = ({n: ReplicaAssignment.of([0]) for n in range(count)} for count in (1, 2))
        await tree.write([create("a")])
        item = SetAssignment(topic="a", topic_id=b"i" * 16, assignments=ours, states={})
        await tree.write([item])
        assert await tree.changed_topic("a") is None
        await store.set(TopicZNode.path("a"), TopicZNode.encode(b"i" * 16, theirs))
        assert await tree.changed_topic("a") == TopicRecord(b"i" * 16, theirs)
        await tree.write([item])
        assert await tree.changed_topic("a") is None
        await tree.write([RemoveTopic(topic="a")])
        assert await tree.changed_topic("a") is None

    run(body)


def test_a_former_controller_can_write_nothing(run: Callable[..., None]) -> None:
    async def body(store: EmbeddedStore, tree: ControllerStore) -> None:
        await tree.write([create("a")])
        await store.delete(ControllerZNode.path)
        await registration.become_controller(store, 1, 2)
        for item in (create("b"), RemoveTopic(topic="a"), MarkDeleted(topic="a")):
            with pytest.raises(registration.ControllerMovedError):
                await tree.write([item])
        assert await store.children("/brokers/topics") == ["a"]

    run(body)


def test_what_cannot_be_read_is_told_of_once(run: Callable[..., None]) -> None:
    async def body(store: EmbeddedStore, tree: ControllerStore) -> None:
        await store.create(TopicZNode.path("bad"), b"{", make_parents=True)
        assert await tree.topics(["bad"]) == {}
        (said,) = tree.take_notices()
        assert said.startswith("/brokers/topics/bad: not JSON")
        await tree.topics(["bad"])
        assert tree.take_notices() == []
        await store.set(TopicZNode.path("bad"), b"[]")
        await tree.topics(["bad"])
        assert tree.take_notices() == ["/brokers/topics/bad: not a JSON object"]

    run(body)


def test_what_was_written_although_no_answer_came_counts_as_written(
    run: Callable[..., None],
) -> None:
    async def body(store: Forgetful, tree: ControllerStore) -> None:
        await tree.write([create("a", 3), create("s")])
        states = await tree.read_states([("a", 0), ("a", 1)])
        one, two = (state.elect(0, [0], 1) for state in states if state is not None)
        two = two._replace(partition_epoch=7)
        store.lost = True
        more = {1: ReplicaAssignment.of([0])}
        problems = await tree.write(
            [
                create("b", topic_id=b"b"),
                UpdateState(topic="a", partition=0, state=one),
                CreateState(topic="a", partition=3, state=STATE),
                SetAssignment(topic="s", topic_id=b"i" * 16, assignments=more, states={1: STATE}),
                MarkDeleted(topic="a"),
            ]
        )
        assert problems == [None] * 5
        assert await tree.topic_names() == ["a", "b", "s"]
        assert await tree.topic_names() is None
        assert await tree.read_states([("a", 0)]) == [one.written()]
        update = UpdateState(topic="a", partition=1, state=two)
        assert await tree.write([update, create("a", topic_id=b"j")]) == [
            WriteProblem.STALE,
            WriteProblem.EXISTS,
        ]

    run(body, Forgetful)


def test_a_snapshot_tells_whose_leaders_have_restarted(run: Callable[..., None]) -> None:
    async def body(store: EmbeddedStore, tree: ControllerStore) -> None:
        registration = BrokerIdZNode.encode(broker_info(0, 0), 1)
        path = BrokerIdZNode.path(0)
        await store.create(path, registration, make_parents=True)
        await tree.write([create("old", 2)])
        await store.delete(path)
        await store.create(path, registration)
        await tree.write([UpdateState(topic="old", partition=1, state=STATE), create("new")])
        assert (await tree.snapshot()).restarted == {("old", 0)}

    run(body)
