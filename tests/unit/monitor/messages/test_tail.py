"""A topic that is followed: what is new, at a bounded rate; what is left out is counted."""

from __future__ import annotations

import pytest

from pykafka_ops.errors import KafkaError
from pykafka_ops.monitor.messages.tail import MOST_BEHIND, MOST_SHOWN, TailRound, TopicTail
from tests.support.monitor.topic_logs import TopicLogs, make_search


@pytest.fixture
def logs(monkeypatch: pytest.MonkeyPatch) -> TopicLogs:
    return TopicLogs(2).install(monkeypatch)


def said(tail: TopicTail, logs: TopicLogs, **words: object) -> TailRound:
    return tail.round(make_search(logs, order="oldest", **words))


def test_following_begins_at_the_end_and_tells_each_record_once(logs: TopicLogs) -> None:
    tail = TopicTail()
    logs.write(0, b"old")
    assert said(tail, logs).records == []
    logs.write(0, b"a", at=1)
    logs.write(1, b"b", b"c", at=2)
    found = said(tail, logs)
    assert [r.value.data for r in found.records] == ["a", "b", "c"]
    assert (found.looked, found.dropped, found.skipped, found.errors) == (3, 0, 0, {})
    assert said(tail, logs).records == []


def test_what_comes_too_fast_is_dropped_and_counted(logs: TopicLogs) -> None:
    tail = TopicTail()
    said(tail, logs)
    logs.write(0, *[b"%d" % n for n in range(MOST_SHOWN + 30)])
    found = said(tail, logs)
    assert len(found.records) == MOST_SHOWN
    assert found.dropped == 30
    assert found.records[-1].value.data == str(MOST_SHOWN + 29)
    logs.write(0, *[b"%d" % n for n in range(MOST_BEHIND + 100)])
    assert said(tail, logs).skipped == 100


def test_filters_hold_and_a_partition_without_answer_is_told(logs: TopicLogs) -> None:
    tail = TopicTail()
    said(tail, logs)
    logs.write(0, b"a", b"b")
    logs.errors[1] = KafkaError(6)
    found = said(tail, logs, text="B")
    assert [r.value.data for r in found.records] == ["b"]
    assert "NOT_LEADER_OR_FOLLOWER" in found.errors[1]
    del logs.errors[1]
    logs.write(1, b"bb")
    assert [r.value.data for r in said(tail, logs, text="B").records] in ([], ["bb"])


def test_a_topic_that_was_made_anew_is_read_from_its_beginning(logs: TopicLogs) -> None:
    tail = TopicTail()
    logs.write(0, b"a", b"b", b"c")
    said(tail, logs)
    logs.batches[0] = []
    logs.write(0, b"new")
    assert [r.value.data for r in said(tail, logs).records] == ["new"]
