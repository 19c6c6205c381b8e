"""Fetch sessions follow KIP-227: epochs, incremental updates, eviction."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import pytest

from pykafka_ops.broker.state.fetch_session import (
    EVICTION_MS,
    FINAL_EPOCH,
    INITIAL_EPOCH,
    MAX_EPOCH,
    PARTITION_BYTES,
    CachedPartition,
    FetchContext,
    FetchKey,
    FetchSessions,
    Kind,
)
from pykafka_ops.broker.state.memory import Account
from pykafka_ops.errors import KafkaError

NOT_FOUND, BAD_EPOCH, TOPIC_ID_ERROR = 70, 71, 106


def wanted(
    *indexes: int, topic: str = "t", offset: int = 0
) -> list[tuple[FetchKey, CachedPartition]]:
    found: list[tuple[FetchKey, CachedPartition]] = []
    for index in indexes:
        partition = CachedPartition(topic, bytes(16), index)
        partition.fetch_offset = offset
        found.append(((topic, index), partition))
    return found


class Client:
    """Asks one ``FetchSessions`` at a time that stands still unless told otherwise."""

    def __init__(
        self, slots: int = 2, ids: Iterable[int] | None = None, memory: Account | None = None
    ) -> None:
        source = iter(ids) if ids is not None else itertools.count(100)
        self.sessions = FetchSessions(slots, lambda: next(source), memory or Account())
        self.now = 0.0

    def ask(
        self,
        session: int,
        epoch: int,
        *indexes: int,
        forget: Iterable[int] = (),
        privileged: bool = False,
        uses_ids: bool = False,
        offset: int = 0,
    ) -> FetchContext:
        return self.sessions.context(
            session,
            epoch,
            wanted(*indexes, offset=offset),
            [("t", index) for index in forget],
            now=self.now,
            privileged=privileged,
            uses_ids=uses_ids,
        )

    def refused(self, session: int, epoch: int, *, uses_ids: bool = False) -> int:
        with pytest.raises(KafkaError) as caught:
            self.ask(session, epoch, uses_ids=uses_ids)
        return caught.value.code


def test_outside_a_session_everything_is_named_each_time() -> None:
    client = Client()
    context = client.ask(0, FINAL_EPOCH, 1, 2)
    assert (context.kind, context.session_id) == (Kind.SESSIONLESS, 0)
    assert list(context.partitions) == [("t", 1), ("t", 2)]
    assert len(client.sessions) == 0


def test_a_session_is_made_and_continued() -> None:
    client = Client()
    first = client.ask(0, INITIAL_EPOCH, 1, 2, offset=5)
    assert (first.kind, first.session_id) == (Kind.FULL, 100)
    second = client.ask(100, 1)
    assert second.kind is Kind.INCREMENTAL
    assert [p.fetch_offset for p in second.partitions.values()] == [5, 5]
    third = client.ask(100, 2, 2, 3, forget=[1], offset=9)
    assert [(k[1], p.fetch_offset) for k, p in third.partitions.items()] == [(2, 9), (3, 9)]


def test_an_unknown_session_a_wrong_epoch_and_mixed_topic_ids_are_refused() -> None:
    client = Client()
    assert client.refused(7, 1) == NOT_FOUND
    client.ask(0, INITIAL_EPOCH, 1)
    assert client.refused(100, 2) == BAD_EPOCH
    assert client.refused(100, 1, uses_ids=True) == TOPIC_ID_ERROR
    assert client.ask(100, 1).session_id == 100


def test_a_repeated_epoch_is_refused() -> None:
    client = Client()
    client.ask(0, INITIAL_EPOCH, 1)
    client.ask(100, 1)
    assert client.refused(100, 1) == BAD_EPOCH


def test_the_epoch_after_the_largest_is_one() -> None:
    client = Client()
    session = client.ask(0, INITIAL_EPOCH, 1).session
    assert session is not None
    session.epoch = MAX_EPOCH
    client.ask(100, MAX_EPOCH)
    assert session.epoch == 1


def test_a_full_request_closes_the_session_it_names() -> None:
    client = Client()
    client.ask(0, INITIAL_EPOCH, 1)
    assert client.ask(100, FINAL_EPOCH, 1).session_id == 0
    assert len(client.sessions) == 0
    client.ask(0, INITIAL_EPOCH, 1)
    assert client.ask(101, INITIAL_EPOCH, 1).session_id == 102
    assert len(client.sessions) == 1


def test_a_session_that_forgot_everything_ends() -> None:
    client = Client()
    client.ask(0, INITIAL_EPOCH, 1)
    context = client.ask(100, 1, forget=[1])
    assert (context.kind, context.session_id, context.partitions) == (Kind.SESSIONLESS, 0, {})
    assert client.refused(100, 2) == NOT_FOUND


def test_a_full_request_for_nothing_makes_a_session() -> None:
    assert Client().ask(0, INITIAL_EPOCH).session_id == 100


def test_zero_and_taken_ids_are_not_given_out() -> None:
    client = Client(ids=[0, 5, 5, 0, 6])
    assert client.ask(0, INITIAL_EPOCH, 1).session_id == 5
    assert client.ask(0, INITIAL_EPOCH, 1).session_id == 6


def test_without_a_free_slot_the_answer_says_session_zero() -> None:
    client = Client(slots=1)
    client.ask(0, INITIAL_EPOCH, 1)
    context = client.ask(0, INITIAL_EPOCH, 1, 2, 3)
    assert (context.kind, context.session_id) == (Kind.FULL, 0)
    assert Client(slots=0).ask(0, INITIAL_EPOCH, 1).session_id == 0


def test_a_session_unused_for_two_minutes_gives_way() -> None:
    client = Client(slots=2)
    client.ask(0, INITIAL_EPOCH, 1, 2, 3)
    client.now = 1.0
    client.ask(0, INITIAL_EPOCH, 1)
    client.now = EVICTION_MS + 0.5
    assert client.ask(0, INITIAL_EPOCH, 1).session_id == 102
    assert client.refused(100, 1) == NOT_FOUND
    client.ask(101, 1)
    assert client.sessions.evictions == 1


def test_a_smaller_session_that_had_its_time_gives_way_to_a_larger_one() -> None:
    client = Client(slots=1)
    client.ask(0, INITIAL_EPOCH, 1)
    client.now = EVICTION_MS + 1.0
    client.ask(100, 1)  # in use, so not stale
    assert client.ask(0, INITIAL_EPOCH, 1).session_id == 0
    assert client.ask(0, INITIAL_EPOCH, 1, 2).session_id == 101
    assert client.sessions.evictions == 1
    assert [len(session.partitions) for session in client.sessions] == [2]


def test_followers_displace_consumers_at_once_but_not_the_other_way_round() -> None:
    client = Client(slots=1)
    client.ask(0, INITIAL_EPOCH, 1, 2, 3)
    follower = client.ask(0, INITIAL_EPOCH, 1, privileged=True)
    assert follower.session_id == 101
    client.now = EVICTION_MS + 1.0
    client.ask(101, 1)
    assert client.ask(0, INITIAL_EPOCH, 1, 2, 3).session_id == 0


def test_an_incremental_answer_names_only_what_changed() -> None:
    partition = CachedPartition("t", bytes(16), 0)
    assert partition.changed(0, 10, 0, 0)
    assert not partition.changed(0, 10, 0, 0)
    assert partition.changed(0, 10, 0, 1)
    assert partition.changed(0, 11, 0, 0)
    assert partition.changed(0, 11, 4, 0)
    assert not partition.changed(0, 11, 4, 0)


def test_an_error_is_named_each_time_and_so_is_its_end() -> None:
    partition = CachedPartition("t", bytes(16), 0)
    partition.changed(0, 10, 0, 0)
    assert partition.changed(3, -1, 0, 0)
    assert partition.changed(3, -1, 0, 0)
    assert partition.changed(0, 10, 0, 0)
    assert not partition.changed(0, 10, 0, 0)


def test_what_was_told_survives_a_new_fetch_offset() -> None:
    client = Client()
    context = client.ask(0, INITIAL_EPOCH, 1)
    context.partitions[("t", 1)].changed(0, 10, 3, 0)
    updated = client.ask(100, 1, 1, offset=7).partitions[("t", 1)]
    assert updated.fetch_offset == 7
    assert not updated.changed(0, 10, 3, 0)


def test_a_partition_that_gave_data_goes_to_the_end_of_the_queue() -> None:
    client = Client()
    session = client.ask(0, INITIAL_EPOCH, 1, 2, 3).session
    assert session is not None
    session.served(("t", 1))
    session.served(("t", 9))  # forgotten by a request that overtook this one
    assert [key[1] for key in session.partitions] == [2, 3, 1]


def test_who_finds_no_memory_is_served_without_a_session() -> None:
    memory = Account(10 * PARTITION_BYTES)
    client = Client(slots=100, memory=memory)
    first = client.ask(0, 0, *range(5))
    assert first.session_id
    assert not client.ask(0, 0, *range(6)).session_id
    assert client.ask(0, 0, *range(5)).session_id
    assert memory.held == memory.limit
    assert not client.ask(0, 0, 1).session_id
    client.ask(first.session_id, -1)
    assert memory.held == 5 * PARTITION_BYTES


def test_a_session_that_grows_beyond_memory_ends_and_gives_it_back() -> None:
    memory = Account(10 * PARTITION_BYTES)
    client = Client(memory=memory)
    found = client.ask(0, 0, 0)
    client.ask(found.session_id, 1, *range(8))
    assert memory.held == 8 * PARTITION_BYTES
    with pytest.raises(KafkaError) as caught:
        client.ask(found.session_id, 2, *range(8, 20))
    assert caught.value.code == NOT_FOUND
    assert memory.held == 0
