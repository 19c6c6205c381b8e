"""Fetch gives whole batches of committed records, now or when enough has arrived."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.broker.handlers import fetch as handler
from pykafka_ops.broker.hot.heads import LogHead
from pykafka_ops.broker.state.producers import Origin
from pykafka_ops.disk.batch import scan
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.control import ControlType, EndTxnMarker, build_marker
from pykafka_ops.disk.convert import read_message_set
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchTopic,
    ForgottenTopic,
)
from tests.support.memory.handler_site import ME, OTHER, Later, Site, batch, topic_id
from tests.support.memory.replication import follower_at

NONE, SERVER_ERROR, OUT_OF_RANGE, UNKNOWN_TOPIC, NOT_LEADER = 0, -1, 1, 3, 6
UNSUPPORTED_VERSION, STORAGE, NO_SESSION, BAD_EPOCH = 35, 56, 70, 71
FENCED, UNKNOWN_EPOCH, NO_CODEC, UNKNOWN_ID, OTHER_ID = 74, 75, 76, 100, 103


def request(
    *wanted: tuple[str, int, int],
    version: int = 12,
    each: dict[str, Any] | None = None,
    **head: Any,
) -> FetchRequest:
    """A request for (topic, partition, offset)s; ``each`` holds more fields of the partitions."""
    topics: dict[str, FetchTopic] = {}
    for name, index, offset in wanted:
        topic = topics.setdefault(
            name,
            FetchTopic(topic=name) if version < 13 else FetchTopic(topic_id=topic_id(name)),
        )
        topic.partitions.append(
            FetchPartition(
                partition=index,
                fetch_offset=offset,
                **{"partition_max_bytes": 1 << 20, **(each or {})},
            )
        )
    rest = {"max_wait_ms": 500, "min_bytes": 1, **head}
    return FetchRequest(topics=list(topics.values()), **rest)


def fetch(site: Site, *wanted: tuple[str, int, int], version: int = 12, **rest: Any) -> Any:
    return site.ask(request(*wanted, version=version, **rest), version)


def only(answer: Any) -> Any:
    """The one partition of an answer."""
    assert not isinstance(answer, Later)
    (topic,) = answer.responses
    (partition,) = topic.partitions
    return partition


def offsets(partition: Any) -> list[int]:
    return [
        header.base_offset + n
        for _, header in scan(partition.records)
        for n in range(header.record_count)
    ]


def where(answer: Any) -> list[tuple[str, int]]:
    return [(t.topic, p.partition_index) for t in answer.responses for p in t.partitions]


@pytest.fixture
def site() -> Site:
    """Topic t: batches at 0-1, 2, 3-5; empty topics u and v."""
    made = Site()
    for name in "tuv":
        made.topic(name)
    made.append("t", 0, batch(b"a", b"b"), batch(b"c"), batch(b"d", b"e", b"f"))
    return made


# -- reading ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", range(4, 13))
def test_records_come_as_they_stand_in_the_log(site: Site, version: int) -> None:
    found = only(fetch(site, ("t", 0, 0), version=version))
    assert (found.error_code, found.high_watermark, found.last_stable_offset) == (NONE, 6, 6)
    assert offsets(found) == [0, 1, 2, 3, 4, 5]
    if version >= 5:
        assert found.log_start_offset == 0


@pytest.mark.parametrize("version", range(13, 18))
def test_later_versions_name_topics_by_id(site: Site, version: int) -> None:
    answer = fetch(site, ("t", 0, 2), version=version)
    assert answer.responses[0].topic_id == topic_id("t")
    assert offsets(only(answer)) == [2, 3, 4, 5]


def test_a_fetch_in_the_middle_of_a_batch_gives_the_whole_batch(site: Site) -> None:
    assert offsets(only(fetch(site, ("t", 0, 4)))) == [3, 4, 5]


def test_the_first_batch_comes_whole_even_beyond_the_limits(site: Site) -> None:
    for each, head in (({"partition_max_bytes": 1}, {}), ({}, {"max_bytes": 1})):
        found = only(fetch(site, ("t", 0, 0), each=each, **head))
        assert offsets(found) == [0, 1]


def test_only_the_first_partition_may_exceed_the_limit_for_all(site: Site) -> None:
    site.append("u", 0, batch(b"x"), batch(b"y"))
    answer = fetch(site, ("t", 0, 0), ("u", 0, 0), max_bytes=1)
    sizes = [len(p.records) for t in answer.responses for p in t.partitions]
    assert sizes[0] > 1
    assert sizes[1] == 0


def test_the_limit_for_all_is_shared_out_in_order(site: Site) -> None:
    site.append("u", 0, batch(b"x"), batch(b"y"))
    first = len(only(fetch(site, ("t", 0, 0))).records)
    second = len(batch(b"x"))
    answer = fetch(site, ("t", 0, 0), ("u", 0, 0), max_bytes=first + second + 5)
    assert offsets(answer.responses[1].partitions[0]) == [0]
    assert len(answer.responses[1].partitions[0].records) == second + 5


def test_no_answer_is_larger_than_the_broker_wants(site: Site) -> None:
    site.services.fetches.max_bytes = 10
    site.append("u", 0, batch(b"x"))
    answer = fetch(site, ("t", 0, 0), ("u", 0, 0), max_bytes=2**31 - 1, min_bytes=2**31 - 1)
    assert offsets(answer.responses[0].partitions[0]) == [0, 1]
    assert len(answer.responses[1].partitions[0].records) == 0


def test_hostile_limits_give_no_more_than_one_batch(site: Site) -> None:
    found = only(fetch(site, ("t", 0, 0), each={"partition_max_bytes": -5}))
    assert offsets(found) == [0, 1]
    for limit in (0, -1):
        assert offsets(only(fetch(site, ("t", 0, 0), max_bytes=limit))) == [0, 1]


@pytest.mark.parametrize("offset", [7, -1, 2**63 - 1, -(2**63)])
def test_an_offset_outside_the_log_is_out_of_range(site: Site, offset: int) -> None:
    found = only(fetch(site, ("t", 0, offset)))
    assert (found.error_code, found.high_watermark, found.log_start_offset) == (
        OUT_OF_RANGE,
        -1,
        -1,
    )
    assert len(found.records) == 0


def test_deleted_offsets_are_out_of_range(site: Site) -> None:
    site.replicas.find("t", 0).log.delete_records(2)  # type: ignore[union-attr]
    assert only(fetch(site, ("t", 0, 1))).error_code == OUT_OF_RANGE
    found = only(fetch(site, ("t", 0, 2)))
    assert (found.log_start_offset, offsets(found)) == (2, [2, 3, 4, 5])


def test_what_is_not_committed_is_not_given() -> None:
    site = Site()
    (partition,) = site.topic("t", isr=(ME, OTHER), replicas=(ME, OTHER))
    site.append("t", 0, batch(b"a"), batch(b"b"))
    later = fetch(site, ("t", 0, 0))
    assert isinstance(later, Later)
    follower_at(partition, 1)
    site.replicas.wake(partition.key)
    assert offsets(only(later.answer)) == [0]
    assert len(only(fetch(site, ("t", 0, 2), max_wait_ms=0)).records) == 0


def test_transactions_are_read_as_the_isolation_level_says(site: Site) -> None:
    producer = {"producer_id": 9, "producer_epoch": 0, "transactional": True}
    site.append("u", 0, batch(b"x", base_sequence=0, **producer))
    dirty = only(fetch(site, ("u", 0, 0), isolation_level=0))
    assert (offsets(dirty), dirty.aborted_transactions) == ([0], None)
    held = only(fetch(site, ("u", 0, 0), isolation_level=1, max_wait_ms=0))
    assert (offsets(held), held.last_stable_offset, held.high_watermark) == ([], 0, 1)
    assert held.aborted_transactions == []


def test_aborted_transactions_are_named(site: Site) -> None:
    producer = {"producer_id": 9, "producer_epoch": 0, "transactional": True}
    site.append("u", 0, batch(b"x", base_sequence=0, **producer))
    log = site.replicas.find("u", 0).log  # type: ignore[union-attr]
    marker = build_marker(
        EndTxnMarker(ControlType.ABORT, 0), timestamp=1, producer_id=9, producer_epoch=0
    )
    log.append_as_leader(memoryview(marker), leader_epoch=3, now=1, origin=Origin.COORDINATOR)
    site.replicas.find("u", 0).advance_high_watermark()  # type: ignore[union-attr]
    found = only(fetch(site, ("u", 0, 0), isolation_level=1))
    assert [(t.producer_id, t.first_offset) for t in found.aborted_transactions] == [(9, 0)]
    assert found.last_stable_offset == 2


# -- errors ----------------------------------------------------------------------------------------


def test_who_cannot_be_read_says_why(site: Site) -> None:
    site.topic("elsewhere", leader=OTHER)
    assert only(fetch(site, ("nowhere", 0, 0))).error_code == UNKNOWN_TOPIC
    assert only(fetch(site, ("t", 9, 0))).error_code == UNKNOWN_TOPIC
    assert only(fetch(site, ("elsewhere", 0, 0), version=10)).error_code == NOT_LEADER
    assert only(fetch(site, ("nowhere", 0, 0), version=13)).error_code == UNKNOWN_ID
    assert only(fetch(site, ("t", 0, 0), each={"current_leader_epoch": 2})).error_code == FENCED
    negative = only(fetch(site, ("t", 0, 0), each={"current_leader_epoch": -2}))
    assert negative.error_code == NONE  # as if there were none
    stale = only(fetch(site, ("t", 0, 0), each={"current_leader_epoch": 4}))
    assert stale.error_code == UNKNOWN_EPOCH
    site.replicas.find("t", 0).topic_id = topic_id("new t")  # type: ignore[union-attr]
    assert only(fetch(site, ("t", 0, 0), version=13)).error_code == OTHER_ID


def test_an_offline_log_is_a_storage_error_that_old_clients_do_not_know(site: Site) -> None:
    site.logs.logs.clear()
    site.replicas.find("t", 0).go_offline()  # type: ignore[union-attr]
    assert only(fetch(site, ("t", 0, 0), version=6)).error_code == STORAGE
    assert only(fetch(site, ("t", 0, 0), version=5)).error_code == NOT_LEADER


class NotALog(LogHead):
    """A log that lacks everything."""


def test_a_bug_below_costs_one_partition(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site.replicas.find("t", 0), "used_log", NotALog())
    site.append("u", 0, batch(b"x"))
    answer = fetch(site, ("t", 0, 0), ("u", 0, 0))
    assert answer.responses[0].partitions[0].error_code == SERVER_ERROR
    assert offsets(answer.responses[1].partitions[0]) == [0]


def test_a_reader_with_another_history_is_told_where_they_part() -> None:
    site = Site()
    (partition,) = site.topic("t")
    site.append("t", 0, batch(b"a", b"b"))
    partition.leader_epoch = 5
    site.append("t", 0, batch(b"c"))
    diverged = only(fetch(site, ("t", 0, 3), each={"last_fetched_epoch": 4}))
    assert (diverged.diverging_epoch.epoch, diverged.diverging_epoch.end_offset) == (3, 2)
    assert (diverged.error_code, len(diverged.records)) == (NONE, 0)
    same = only(fetch(site, ("t", 0, 2), each={"last_fetched_epoch": 3}))
    assert (same.diverging_epoch, offsets(same)) == (None, [2])
    unknown = only(fetch(site, ("t", 0, 2), each={"last_fetched_epoch": 9}))
    assert unknown.error_code == OUT_OF_RANGE


# -- old clients -----------------------------------------------------------------------------------


@pytest.mark.parametrize("version", range(4))
def test_old_clients_get_message_sets(site: Site, version: int) -> None:
    found = only(fetch(site, ("t", 0, 2), version=version))
    messages = read_message_set(found.records)
    assert messages.magic == (0 if version < 2 else 1)
    assert [r.value for r in messages.records] == [b"c", b"d", b"e", b"f"]


@pytest.mark.parametrize("version", range(3))
def test_before_version_3_a_limit_below_the_first_batch_is_kept(site: Site, version: int) -> None:
    found = only(fetch(site, ("t", 0, 0), version=version, each={"partition_max_bytes": 20}))
    assert found.error_code == NONE
    assert 0 < len(found.records) < 17  # the start of a message: the client must ask for more


def test_zstd_topics_are_for_those_who_know_it(site: Site) -> None:
    site.topic("w", config={"compression.type": "zstd"})
    site.append("w", 0, batch(b"x"))
    for version in (0, 3, 4, 9):
        assert only(fetch(site, ("w", 0, 0), version=version)).error_code == NO_CODEC
    assert offsets(only(fetch(site, ("w", 0, 0), version=10))) == [0]


def test_zstd_where_producers_choose_is_given_as_it_is_but_not_converted(site: Site) -> None:
    site.append("u", 0, batch(b"x", codec=Codec.ZSTD))
    for version in (4, 9, 10):
        assert offsets(only(fetch(site, ("u", 0, 0), version=version))) == [0]
    for version in (0, 3):
        assert only(fetch(site, ("u", 0, 0), version=version)).error_code == NO_CODEC
    site.append("v", 0, batch(b"x"), batch(b"y", codec=Codec.ZSTD))
    before = read_message_set(only(fetch(site, ("v", 0, 0), version=3)).records)
    assert [r.value for r in before.records] == [b"x"]


def test_conversion_can_be_forbidden(site: Site) -> None:
    site.topic("w", config={"message.downconversion.enable": "false"})
    empty = only(fetch(site, ("w", 0, 0), version=3))
    assert (empty.error_code, empty.records) == (UNSUPPORTED_VERSION, None)
    site.append("w", 0, batch(b"x"))
    assert only(fetch(site, ("w", 0, 0), version=3)).error_code == UNSUPPORTED_VERSION
    assert offsets(only(fetch(site, ("w", 0, 0), version=4))) == [0]


@pytest.mark.parametrize("version", [4, 7, 13])
def test_an_isolation_level_nobody_knows_fails_the_request(site: Site, version: int) -> None:
    answer = fetch(site, ("t", 0, 0), version=version, isolation_level=2)
    assert answer.error_code == (SERVER_ERROR if version >= 7 else NONE)
    if version >= 13:
        assert answer.responses == []
    else:
        assert (only(answer).error_code, only(answer).records) == (SERVER_ERROR, None)


# -- sessions --------------------------------------------------------------------------------------


def test_in_a_session_only_news_are_told(site: Site) -> None:
    first = fetch(site, ("t", 0, 0), ("u", 0, 0), session_id=0, session_epoch=0)
    assert (first.session_id, where(first)) == (1, [("t", 0), ("u", 0)])
    again = fetch(site, ("t", 0, 6), session_id=1, session_epoch=1, max_wait_ms=0)
    assert (again.session_id, where(again)) == (1, [])
    site.append("u", 0, batch(b"x"))
    news = fetch(site, session_id=1, session_epoch=2)
    assert where(news) == [("u", 0)]
    assert offsets(only(news)) == [0]


def test_a_session_forgets_what_it_is_told_to(site: Site) -> None:
    fetch(site, ("t", 0, 6), ("u", 0, 0), session_id=0, session_epoch=0, max_wait_ms=0)
    site.append("u", 0, batch(b"x"))
    gone = [ForgottenTopic(topic="u", partitions=[0])]
    answer = fetch(site, session_id=1, session_epoch=1, forgotten_topics_data=gone, max_wait_ms=0)
    assert where(answer) == []


def test_an_error_and_its_end_are_news(site: Site) -> None:
    partition = site.replicas.find("t", 0)
    assert partition is not None
    old = {"version": 10, "session_id": 1, "max_wait_ms": 0}
    fetch(site, ("t", 0, 6), version=10, session_id=0, session_epoch=0, max_wait_ms=0)
    partition.leader = OTHER
    assert only(fetch(site, session_epoch=1, **old)).error_code == NOT_LEADER
    assert only(fetch(site, session_epoch=2, **old)).error_code == NOT_LEADER
    partition.leader = ME
    assert only(fetch(site, session_epoch=3, **old)).error_code == NONE
    assert where(fetch(site, session_epoch=4, **old)) == []


def test_session_errors_stand_for_the_whole_request(site: Site) -> None:
    assert fetch(site, session_id=9, session_epoch=1).error_code == NO_SESSION
    fetch(site, ("t", 0, 0), session_id=0, session_epoch=0)
    assert fetch(site, session_id=1, session_epoch=7).error_code == BAD_EPOCH


def test_a_partition_that_gave_data_does_not_starve_the_others(site: Site) -> None:
    site.append("u", 0, batch(b"x"))
    fetch(site, ("t", 0, 0), ("u", 0, 0), session_id=0, session_epoch=0, max_bytes=1)
    second = fetch(site, session_id=1, session_epoch=1, max_bytes=1)
    third = fetch(site, session_id=1, session_epoch=2, max_bytes=1)
    with_data = [
        [t.topic for t in a.responses for p in t.partitions if len(p.records)]
        for a in (second, third)
    ]
    assert sorted(name for names in with_data for name in names) == ["t", "u"]


# -- the answer to any failure ---------------------------------------------------------------------


def test_before_sessions_every_partition_has_the_error() -> None:
    asked = request(("t", 0, 0), ("u", 0, 0))
    answer: Any = handler.failed(asked, 4, KafkaError(SERVER_ERROR))
    codes = [p.error_code for t in answer.responses for p in t.partitions]
    assert codes == [SERVER_ERROR, SERVER_ERROR]
    assert handler.failed(asked, 7, KafkaError(SERVER_ERROR)).error_code == SERVER_ERROR
