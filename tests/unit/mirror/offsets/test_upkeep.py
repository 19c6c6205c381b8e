"""The map's topic is rewritten, compacted and read again: answers stay the same."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pykafka_ops.mirror.offsets import kept, records, upkeep
from pykafka_ops.mirror.offsets.records import decode_key
from pykafka_ops.mirror.offsets.runs import OffsetMap, OffsetRun, Translated
from tests.unit.mirror.offsets.histories import HISTORIES, STEADY, History
from tests.unit.mirror.offsets.map_log import TARGET, ListReader, MapLog


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Full records hold 4 runs, 6 are kept in memory."""
    monkeypatch.setattr(kept, "MOST_RUNS", 4)
    monkeypatch.setattr(kept, "IN_MEMORY", 6)
    monkeypatch.setattr(records, "ROUND_RUNS", 2)
    monkeypatch.setattr(upkeep, "MOST_RUNS", 4)
    monkeypatch.setattr(upkeep, "MOST_PIECES", 3)


def _lived_through(history: History, draw: random.Random) -> tuple[MapLog, ListReader]:
    """A log in which rounds, rewrites and compaction came in turn, and who rewrote it."""
    log = MapLog()
    keeper = ListReader(log, pieces=True)
    left = list(history.runs)
    while left:
        count = draw.randint(1, 4)
        log.round(left[:count])
        del left[:count]
        if draw.random() < 0.5:
            keeper.catch_up()
            if draw.random() < 0.3:
                log.round(left[:1])  # the mirror goes on meanwhile
                del left[:1]
            log.tidy(keeper)
        if draw.random() < 0.3:
            keeper.catch_up()
            log.compact()
        if draw.random() < 0.1:
            keeper = ListReader(log, pieces=True)
    keeper.catch_up()
    return log, keeper


@pytest.mark.usefixtures("small")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(HISTORIES, st.randoms(use_true_random=False))
def test_every_reader_answers_as_if_all_were_in_memory(
    history: History, draw: random.Random
) -> None:
    whole = OffsetMap(history.runs)
    log, keeper = _lived_through(history, draw)
    log.compact()
    late = ListReader(log)
    late.catch_up()
    for offset in range(history.position + 3):
        expected = whole.translate(offset)
        assert keeper.translate(TARGET, offset) == expected
        assert late.translate(TARGET, offset) == expected


@pytest.mark.usefixtures("small")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEADY, st.randoms(use_true_random=False))
def test_every_reader_answers_the_other_way(history: History, draw: random.Random) -> None:
    whole = OffsetMap(history.runs)
    _, keeper = _lived_through(history, draw)
    for target in range(history.log[-1][0] + 3 if history.log else 3):
        assert keeper.back(TARGET, target) == whole.back(target)


def _long(rounds: int) -> MapLog:
    """Rounds of 10 records, a marker behind each."""
    log = MapLog()
    for n in range(rounds):
        log.round([OffsetRun(10 * n, 11 * n, 10)])
    return log


@pytest.mark.usefixtures("small")
def test_memory_is_bounded_and_old_offsets_are_read_again() -> None:
    log, keeper = _long(100), None
    keeper = ListReader(log, pieces=True)
    keeper.catch_up()
    log.tidy(keeper)
    log.compact()
    late = ListReader(log)
    late.catch_up()
    assert len(late.maps[TARGET].runs) <= 6
    assert late.translate(TARGET, 999) == Translated(1098, "run")
    assert late.loaded == 0
    assert [late.translate(TARGET, n) for n in (5, 15, 45)] == [
        Translated(5, "run"), Translated(16, "run"), Translated(49, "run")
    ]  # fmt: skip
    assert late.loaded == 2


@pytest.mark.usefixtures("small")
def test_a_rewrite_leaves_few_records_and_full_ones_alone() -> None:
    log = _long(10)
    keeper = ListReader(log, pieces=True)
    keeper.catch_up()
    assert log.tidy(keeper) == 10
    log.compact()
    assert len(log.records) == 3
    keeper.catch_up()
    full = [r.offset for r in log.records][:2]
    for n in range(10, 14):
        log.round([OffsetRun(10 * n, 11 * n, 10)])
    keeper.catch_up()
    log.tidy(keeper)
    log.compact()
    assert [r.offset for r in log.records][:2] == full
    assert len(log.records) == 4


@pytest.mark.usefixtures("small")
def test_few_records_are_left_alone() -> None:
    log = _long(3)
    keeper = ListReader(log, pieces=True)
    keeper.catch_up()
    assert log.tidy(keeper) == 0


@pytest.mark.usefixtures("small")
def test_what_is_below_both_logs_is_taken_away() -> None:
    log = _long(40)
    keeper = ListReader(log, pieces=True)
    keeper.catch_up()
    log.tidy(keeper)
    keeper.catch_up()
    keeper.prune({TARGET: (200, 220)})
    for n in range(40, 44):
        log.round([OffsetRun(10 * n, 11 * n, 10)])
    keeper.catch_up()
    log.tidy(keeper)
    log.compact()
    assert min(decode_key(r.key).source for r in log.records) == 200


def test_a_new_life_ends_all_that_was_known() -> None:
    log = MapLog()
    log.round([OffsetRun(0, 0, 100)])
    log.round([OffsetRun(5, 100, 10)], life=7)
    log.round([OffsetRun(200, 300, 10)])
    reader = ListReader(log)
    reader.catch_up()
    assert reader.translate(TARGET, 0) == Translated(100, "before")
    assert reader.translate(TARGET, 300) == Translated(110, "end")


@pytest.mark.usefixtures("small")
def test_records_of_former_lives_are_taken_away() -> None:
    log = _long(40)
    keeper = ListReader(log, pieces=True)
    keeper.catch_up()
    log.tidy(keeper)
    keeper.catch_up()
    log.round([OffsetRun(0, 1000, 1)], life=1)
    for n in range(4):
        log.round([OffsetRun(10 + 10 * n, 1100 + 11 * n, 10)], life=1)
    keeper.catch_up()
    log.tidy(keeper)
    log.compact()
    assert {decode_key(r.key).life for r in log.records} == {1}


def test_damaged_records_are_left_out_and_counted() -> None:
    log = _long(2)
    log.append(b"\0\0no key", b"\0\0")
    log.append(log.records[0].key, b"\0\0\2")
    log.append(None, None)
    reader = ListReader(log)
    reader.catch_up()
    assert reader.damaged == 3
    assert reader.translate(TARGET, 12) == Translated(13, "run")


def test_nothing_is_known_of_other_partitions() -> None:
    log = _long(2)
    reader = ListReader(log)
    reader.catch_up()
    assert reader.translate((TARGET[0], 4), 0) is None
    assert reader.back((TARGET[0], 4), 0) is None
