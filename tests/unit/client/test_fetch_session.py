"""What a reader tells a broker in a fetch session."""

from __future__ import annotations

from pykafka_ops.client.fetch_session import FetchFrom, FetchTerms, ReaderSession
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import fetch as ft

TERMS = FetchTerms(500, 1, 1000, True)
ONE, TWO = bytes([1]) * 16, bytes([2]) * 16
WANTED = {("t", 0): FetchFrom(5, 10, ONE), ("t", 1): FetchFrom(6, 10, ONE)}


def answer(session_id: int = 7, error: int = 0, *topics: tuple[bytes, int]) -> ft.FetchResponse:
    return ft.FetchResponse(
        throttle_time_ms=0,
        error_code=error,
        session_id=session_id,
        responses=[
            ft.FetchableTopicResponse(
                topic="t",
                topic_id=topic,
                partitions=[
                    ft.PartitionData(
                        partition_index=n, error_code=0, high_watermark=9, records=None
                    )
                ],
            )
            for topic, n in topics
        ],
    )


def named(request: ft.FetchRequest) -> list[tuple[bytes, int, int]]:
    return [(t.topic_id, p.partition, p.fetch_offset) for t in request.topics for p in t.partitions]


def test_the_first_request_names_all_and_later_ones_what_changed() -> None:
    session = ReaderSession(by_id=True)
    first = session.request(WANTED, TERMS)
    assert named(first) == [(ONE, 0, 5), (ONE, 1, 6)]
    assert (first.session_id, first.session_epoch, first.isolation_level) == (0, 0, 1)
    assert [p for p, _ in session.take(answer(7, 0, (ONE, 1)))] == [("t", 1)]
    moved = {**WANTED, ("t", 1): FetchFrom(8, 10, ONE)}
    second = session.request(moved, TERMS)
    assert named(second) == [(ONE, 1, 8)]
    assert (second.session_id, second.session_epoch) == (7, 1)
    assert list(session.take(answer(7))) == []
    third = session.request({("t", 0): WANTED["t", 0]}, TERMS)
    assert named(third) == []
    assert [(f.topic_id, f.partitions) for f in third.forgotten_topics_data] == [(ONE, [1])]
    assert third.session_epoch == 2


def test_a_lost_session_begins_anew() -> None:
    session = ReaderSession(by_id=True)
    session.request(WANTED, TERMS)
    list(session.take(answer(7)))
    session.request(WANTED, TERMS)
    assert list(session.take(answer(0, ErrorCode.FETCH_SESSION_ID_NOT_FOUND, (ONE, 0)))) == []
    assert len(named(session.request(WANTED, TERMS))) == 2


def test_a_broker_without_sessions_is_asked_for_all_each_time() -> None:
    session = ReaderSession(by_id=False)
    for _ in range(2):
        request = session.request(WANTED, TERMS)
        assert (request.session_id, request.session_epoch) == (0, 0)
        assert [t.topic for t in request.topics] == ["t"]
        assert len(request.topics[0].partitions) == 2
        assert [p for p, _ in session.take(answer(0, 0, (bytes(16), 0)))] == [("t", 0)]


def test_what_was_not_asked_for_is_not_taken() -> None:
    session = ReaderSession(by_id=True)
    session.request(WANTED, TERMS)
    assert [p for p, _ in session.take(answer(7, 0, (TWO, 0), (ONE, 5), (ONE, 0)))] == [("t", 0)]
