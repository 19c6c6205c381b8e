"""A Fetch of very many partitions: answered as one of few, and others have their turn meanwhile."""

from __future__ import annotations

from types import GeneratorType
from typing import Any

import pytest

from pykafka_ops.broker.partitions import fetches
from pykafka_ops.broker.state.image import PartitionImage
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from tests.support.memory import asking
from tests.support.memory.handler_site import OTHER, Later, Site, batch
from tests.support.memory.steps import counted

MANY = 100


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Site:
    """Partitions with and without records, led here and elsewhere; few are very many."""
    monkeypatch.setattr(fetches, "FEW", 10)
    monkeypatch.setattr(fetches, "PART", 4)
    made = Site()
    made.topic("t", MANY)
    made.topic("u", 3)
    for index in (0, 50, 99):
        made.append("t", index, batch(b"x" * index))
    return made


def request(offset: int = 0, topic: str = "t", **head: Any) -> FetchRequest:
    partitions = [
        FetchPartition(partition=n, fetch_offset=offset, partition_max_bytes=1000)
        for n in range(MANY)
    ]
    topics = [FetchTopic(topic=topic, partitions=partitions)]
    topics.append(FetchTopic(topic="u", partitions=partitions[:5]))
    return FetchRequest(topics=topics, **{"max_wait_ms": 500, "min_bytes": 1, **head})


def found(answer: Any) -> dict[tuple[str, int], tuple[int, int, bytes]]:
    return {
        (topic.topic, p.partition_index): (p.error_code, p.high_watermark, bytes(p.records or b""))
        for topic in answer.responses
        for p in topic.partitions
    }


@pytest.mark.parametrize("version", range(13))
def test_the_answer_is_that_of_a_request_for_few(
    site: Site, version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = asking.ask(site.context(version), request())
    assert isinstance(steps, GeneratorType)
    answer, pauses = counted(steps)
    assert pauses > MANY / 4
    many = asking.shown(request(), version, answer)
    monkeypatch.setattr(fetches, "FEW", 1000)
    few = site.ask(request(), version)
    assert found(many) == found(few)
    assert len(found(many)) == MANY + 5


def test_where_partitions_are_led_is_told_for_all_of_them(site: Site) -> None:
    image = PartitionImage(OTHER, 0, (OTHER,), (OTHER,))
    site.update({"elsewhere": dict.fromkeys(range(MANY), image)})
    wanted = [
        FetchTopic(
            topic_id=site.image.topic_id("elsewhere"),
            partitions=[FetchPartition(partition=n) for n in range(MANY)],
        )
    ]
    answer = site.ask(FetchRequest(topics=wanted, max_wait_ms=500, min_bytes=1), 16)
    (topic,) = answer.responses
    assert {p.error_code for p in topic.partitions} == {ErrorCode.NOT_LEADER_OR_FOLLOWER}
    assert {p.current_leader.leader_id for p in topic.partitions} == {OTHER}
    assert [node.node_id for node in answer.node_endpoints] == [OTHER]


def waiting(site: Site, **head: Any) -> Later:
    later = site.ask(request(1, **head), 4)
    assert isinstance(later, Later)
    assert not later.done
    return later


@pytest.fixture
def empty(site: Site) -> Site:
    """Nothing is to be read from offset 1 on; no partition is unknown."""
    site.topic("u", 5)
    for index in range(MANY):
        if site.logs.logs["t", index].log_end_offset == 0:
            site.append("t", index, batch(b"y"))
    for index in range(5):
        site.append("u", index, batch(b"y"))
    return site


def test_what_is_appended_ends_the_wait(empty: Site) -> None:
    later = waiting(empty)
    empty.append("t", 70, batch(b"new"))
    answer = found(later.answer)
    assert [key for key, (_, _, records) in answer.items() if records] == [("t", 70)]
    assert len(empty.replicas.fetches) == 0


def test_time_runs_out(empty: Site) -> None:
    later = waiting(empty)
    empty.pass_time(499)
    assert not later.done
    empty.pass_time(1)
    assert not any(records for _, _, records in found(later.answer).values())
    assert len(empty.replicas.fetches) == 0


def test_what_is_appended_behind_the_reader_is_not_missed(empty: Site) -> None:
    steps = asking.ask(empty.context(4), request(1))
    for _ in range(10):
        next(steps)
    empty.append("t", 0, batch(b"new"))
    answer = asking.shown(request(1), 4, counted(steps)[0])
    assert found(answer)["t", 0][2]


def test_who_waits_for_several_bytes_is_not_read_for_at_every_append(empty: Site) -> None:
    later = waiting(empty, min_bytes=500)
    empty.append("t", 0, batch(b"new"))
    assert not later.done
    empty.time += 200
    empty.append("t", 1, batch(b"n" * 500))
    assert [key for key, (_, _, records) in found(later.answer).items() if records] == [
        ("t", 0),
        ("t", 1),
    ]


def test_a_client_that_goes_leaves_nothing_behind(empty: Site) -> None:
    waiting(empty).deferred.abandon()
    steps = asking.ask(empty.context(4), request(1))
    next(steps)
    assert len(empty.replicas.fetches) == 1
    steps.close()
    assert len(empty.replicas.fetches) == 0


def test_a_session_is_read_so_though_its_requests_name_nothing(empty: Site) -> None:
    first = empty.ask(request(1, session_epoch=0, max_wait_ms=0), 12)
    assert first.session_id
    assert len(found(first)) == MANY + 5
    head = {"session_id": first.session_id, "max_wait_ms": 500, "min_bytes": 1}
    second = empty.ask(FetchRequest(session_epoch=1, **head), 12)
    assert isinstance(second, Later)
    empty.append("t", 33, batch(b"new"))
    assert list(found(second.answer)) == [("t", 33)]
    third = empty.ask(FetchRequest(session_epoch=2, **head), 12)
    assert [key for key, (_, _, records) in found(third).items() if records] == [("t", 33)]


def test_a_bug_while_it_waits_is_answered(empty: Site) -> None:
    later = waiting(empty)

    def broken() -> object:
        raise ZeroDivisionError

    (waiter,) = {id(w): w for w in empty.replicas.fetches.watch["t", 0].values()}.values()
    waiter.finish = lambda expired: broken()  # type: ignore[assignment,return-value]
    empty.append("t", 70, batch(b"new"))
    assert {code for code, _, _ in found(later.answer).values()} == {-1}
