"""Searches: in order, within bounds, page by page; whatever ends them, nothing is lost or told
twice."""

from __future__ import annotations

import re
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pykafka_ops.disk.control import ControlType, EndTxnMarker, build_marker
from pykafka_ops.errors import KafkaError
from pykafka_ops.monitor.messages.budget import Allowance
from pykafka_ops.monitor.messages.masks import MaskRule
from pykafka_ops.monitor.messages.search import SearchResult, UnknownTopicError
from tests.support.monitor.topic_logs import NOW, TopicLogs, make_search

Place = tuple[int, int]


@pytest.fixture
def logs(monkeypatch: pytest.MonkeyPatch) -> TopicLogs:
    return TopicLogs(3).install(monkeypatch)


def places(found: SearchResult) -> list[Place]:
    return [(r.partition, r.offset) for r in found.records]


def fill(logs: TopicLogs, batches: int = 20, size: int = 5) -> list[Place]:
    """Batches in turn, each later than the one before; all places, the oldest first."""
    every = []
    for i in range(batches):
        number = i % len(logs.batches)
        base = logs.write(number, *[b'{"n":%d}' % n for n in range(size)], at=i * 100)
        every += [(number, base + n) for n in range(size)]
    return every


def pages(logs: TopicLogs, **words: object) -> tuple[list[Place], list[SearchResult]]:
    """All pages of a search."""
    found: list[Place] = []
    results = []
    cursor: str | None = ""
    while cursor is not None:
        result = make_search(logs, **words, cursor=cursor).run()
        found += places(result)
        results.append(result)
        cursor = result.cursor or None
        assert len(results) < 500
    return found, results


@pytest.mark.parametrize("order", ["newest", "oldest"])
def test_records_come_in_the_order_of_their_times_page_by_page(logs: TopicLogs, order: str) -> None:
    every = fill(logs)
    found, results = pages(logs, order=order, limit=7)
    assert found == (every if order == "oldest" else every[::-1])
    assert [r.ended for r in results] == ["limit"] * 14 + ["end"]
    assert results[-1].complete
    assert not results[0].complete


@pytest.mark.parametrize("order", ["newest", "oldest"])
def test_bounds_are_those_of_pko_consume(logs: TopicLogs, order: str) -> None:
    every = fill(logs)

    def found(**words: object) -> set[Place]:
        return set(places(make_search(logs, order=order, limit=500, **words).run()))

    assert found(partition=1) == {p for p in every if p[0] == 1}
    assert found(last=2) == {(0, 33), (0, 34), (1, 33), (1, 34), (2, 28), (2, 29)}
    assert found(offset="10..11") == {(n, o) for n in range(3) for o in (10, 11)}
    assert found(offset="34") == {(0, 34), (1, 34)}
    assert found(since=NOW + 1800) == set(every[-10:])
    assert found(until=NOW + 104) == set(every[:10])
    assert found(since=NOW + 100, until=NOW + 104) == set(every[5:10])
    assert found(since=NOW + 10**9) == set()


@pytest.mark.parametrize("order", ["newest", "oldest"])
def test_filters_hold_for_what_is_found_and_the_rest_is_still_looked_at(
    logs: TopicLogs, order: str
) -> None:
    every = fill(logs, batches=60)
    found, _ = pages(logs, order=order, where="value.n=3", limit=4)
    assert sorted(found) == sorted(p for p in every if p[1] % 5 == 3)
    one = make_search(logs, order=order, key="k-42").run()
    assert sorted(places(one)) == [(0, 42), (1, 42), (2, 42)]
    assert one.complete
    assert one.looked >= 300
    assert places(make_search(logs, order=order, text='N":4', partition=0, limit=1).run()) == (
        [(0, 99)] if order == "newest" else [(0, 4)]
    )


@pytest.mark.parametrize("order", ["newest", "oldest"])
@pytest.mark.parametrize(
    ("allowance", "why"),
    [
        (Allowance(1e9, records=50), "records"), (Allowance(1e9, read_bytes=2_000), "bytes"),
        (Allowance(60.0), "time"), (Allowance(1e9, kept_bytes=3_000), "memory"),
    ],
)  # fmt: skip
def test_a_search_that_ends_for_a_budget_says_so_and_goes_on_from_there(
    logs: TopicLogs, order: str, allowance: Allowance, why: str
) -> None:
    every = fill(logs, batches=60)
    ticks = count()
    found: list[Place] = []
    cursor, reasons = "", []
    for _ in range(500):
        result = make_search(
            logs, order=order, limit=500, cursor=cursor, allowance=allowance,
            clock=lambda: float(next(ticks)),
        ).run()  # fmt: skip
        found += places(result)
        reasons.append(result.ended)
        assert result.complete == (not result.cursor)
        if not result.cursor:
            break
        cursor = result.cursor
    assert reasons[-1] == "end"
    assert reasons.count(why) == len(reasons) - 1 > 0
    assert sorted(found) == sorted(every)
    assert len(found) == len(set(found))


def test_a_search_that_nobody_waits_for_ends(logs: TopicLogs) -> None:
    fill(logs)
    result = make_search(logs, cancelled=lambda: True).run()
    assert (result.ended, result.looked) == ("cancelled", 0)


def test_a_partition_without_an_answer_is_told_and_stops_no_other(logs: TopicLogs) -> None:
    every = fill(logs)
    logs.errors[1] = KafkaError(6)
    result = make_search(logs, limit=500).run()
    assert sorted(places(result)) == sorted(p for p in every if p[0] != 1)
    assert not result.complete
    assert "NOT_LEADER_OR_FOLLOWER" in result.lanes[1].error


@pytest.mark.parametrize("order", ["newest", "oldest"])
def test_a_damaged_batch_is_told_and_passed_over(logs: TopicLogs, order: str) -> None:
    for _ in range(3):
        logs.write(0, b"a", b"b")
    broken = bytearray(logs.batches[0][1])
    broken[61:] = b"\xff" * (len(broken) - 61)
    logs.batches[0][1] = bytes(broken)
    result = make_search(logs, order=order, partition=0).run()
    assert sorted(places(result)) == [(0, 0), (0, 1), (0, 4), (0, 5)]
    assert not result.complete
    assert "offsets 2 to 3 cannot be read" in result.lanes[0].faults[0]
    logs.batches[0][1] = b"\x00" * len(broken)
    assert "offset" in make_search(logs, order="oldest", partition=0).run().lanes[0].error


def test_records_that_go_meanwhile_are_not_waited_for(logs: TopicLogs) -> None:
    for order in ("oldest", "newest"):
        logs = logs.install(pytest.MonkeyPatch())
        logs.batches[0], logs.start = [], {}
        for i in range(6):
            logs.write(0, b"x" * 100, at=i)
        logs.meanwhile = lambda here=logs: here.start.update({0: 4})
        assert sorted(places(make_search(logs, order=order, partition=0).run()))[-2:] == [
            (0, 4), (0, 5),
        ]  # fmt: skip
        logs.meanwhile = lambda: None


@pytest.mark.parametrize("order", ["newest", "oldest"])
def test_transactions_are_decided_or_not_shown_unless_asked(logs: TopicLogs, order: str) -> None:
    def marker(producer: int, kind: ControlType) -> bytes:
        made = EndTxnMarker(kind, 0)
        return bytes(build_marker(made, base_offset=logs.end(0), timestamp=NOW,
                                  producer_id=producer, producer_epoch=0))  # fmt: skip

    def write(producer: int) -> None:
        logs.write(0, b"v", transactional=True, producer_id=producer, producer_epoch=0,
                   base_sequence=0)  # fmt: skip

    write(7)
    logs.batches[0].append(marker(7, ControlType.COMMIT))
    write(8)
    logs.batches[0].append(marker(8, ControlType.ABORT))
    logs.aborted[0] = [(8, 2)]
    logs.stable[0] = 4
    write(9)
    logs.write(0, b"plain")

    def states(**words: object) -> dict[int, str]:
        found = make_search(logs, order=order, partition=0, **words).run()
        assert found.complete
        return {r.offset: r.state for r in found.records}

    assert states() == {0: "committed"}
    assert states(control="true") == {0: "committed", 1: "control", 3: "control"}
    assert states(isolation="read_uncommitted") == {
        0: "committed", 2: "aborted", 4: "open", 5: "committed",
    }  # fmt: skip
    assert states(control="true", text="v") == {0: "committed"}
    shown = make_search(logs, partition=0, control="true", offset="3..3").run().records[0]
    assert shown.key.text() == '{"type":"ABORT"}'


@pytest.mark.parametrize("order", ["newest", "oldest"])
def test_a_batch_for_which_an_answer_had_no_room_is_asked_alone(
    logs: TopicLogs, order: str
) -> None:
    for number in range(3):
        logs.write(number, b"x" * 2_000_000, at=number)
    found = make_search(logs, order=order).run()
    assert len(found.records) == 3
    assert found.complete


def test_comparisons_see_what_a_mask_leaves(logs: TopicLogs) -> None:
    logs.write(0, b'{"card":"4111","n":1}', b"4111")
    rules = (MaskRule("cards", (re.compile("orders"),), (("card",),), key=True),)

    def found(**words: object) -> int:
        return len(make_search(logs, masks=rules, **words).run().records)

    assert found() == 2
    for words in ({"text": "4111"}, {"where": "value.card=4111"}, {"where": "value.card<5000"},
                  {"where": "value=4111"}, {"key": "k-0"}, {"where": "key=k-0"},
                  {"where": "value.card>1000"}):  # fmt: skip
        assert found(**words) == 0, words
    assert found(where="value.card=***") == 1
    assert found(where="value.n=1") == 1


def test_what_is_not_there_is_told(logs: TopicLogs) -> None:
    with pytest.raises(ValueError, match="partition 9: orders has 3"):
        make_search(logs, partition=9).run()
    search = make_search(logs)
    search.topic = "nope"
    with pytest.raises(UnknownTopicError, match="no topic nope"):
        search.run()
    logs.batches = {n: [] for n in range(300)}
    with pytest.raises(ValueError, match="name up to 256"):
        make_search(logs).run()
    assert make_search(logs, partition="0,299").run().complete


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(1, 8), st.integers(0, 3_000), st.integers(0, 50)),
        max_size=25,
    ),
    st.integers(1, 9),
    st.sampled_from(["newest", "oldest"]),
    st.sampled_from([Allowance(), Allowance(records=3), Allowance(read_bytes=500)]),
)
def test_pages_together_hold_every_record_once(
    batches: list[tuple[int, int, int, int]], limit: int, order: str, allowance: Allowance
) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        logs = TopicLogs(3).install(monkeypatch)
        every = []
        for number, size, length, at in batches:
            base = logs.write(number, *[b"x" * length] * size, at=at)
            every += [(number, base + n) for n in range(size)]
        found, _ = pages(logs, order=order, limit=limit, allowance=allowance)
    assert sorted(found) == sorted(every)
