"""The time of brokers, from the commits that they stamp, whatever clock the monitor has."""

from __future__ import annotations

import pytest

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.monitor.cluster.clocks import KEPT_MS, BrokerClocks
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.subjects import poll_round
from tests.support.monitor.rounds import answers

NOW, HOUR = 1_700_000_000_000, 3_600_000
EVERY = 5_000


def watched(wrong: int, rounds: int, stops_at: int = 99) -> WatchedCluster:
    """After rounds of a monitor whose clock is ``wrong`` ms ahead of the broker's, of a group that
    is behind and commits once a round until it stops."""
    found = WatchedCluster("local")
    for n in range(rounds):
        at = NOW + n * EVERY
        first = range(-9, 1) if n == 0 else (n,)
        made = [Commit(NOW + k * EVERY - 1000, 100 + k) for k in first if k < stops_at]
        found.take(answers(at + wrong, 5000 + n * 10, commits=made))
    return found


def status(found: WatchedCluster) -> str:
    return (found.view.groups or {})["billing"].row.status


@pytest.mark.parametrize("wrong", [0, HOUR, -HOUR, 40 * EVERY])
def test_a_group_that_commits_has_not_stopped_whatever_the_clock_says(wrong: int) -> None:
    for rounds in (2, 3, 8):
        assert status(watched(wrong, rounds)) != "STOP", rounds


@pytest.mark.parametrize("wrong", [0, HOUR, -HOUR])
def test_a_group_that_stops_is_found_by_the_clock_of_its_broker(wrong: int) -> None:
    assert status(watched(wrong, 30, stops_at=5)) == "STOP"


def test_at_the_first_look_a_stop_is_not_known_where_the_clock_may_be_wrong() -> None:
    assert status(watched(HOUR, 1)) == "UNKNOWN"
    assert status(watched(0, 1)) != "STOP"


def test_clocks_that_are_apart_are_told() -> None:
    ahead = watched(HOUR, 3)
    (said,) = ahead.view.not_asked
    assert (said.what, said.error) == ("clock of broker 1", "ClockSkew")
    assert "3601 s behind the clock of this machine" in said.message
    assert "clock of broker 1" in poll_round(ahead.view, NOW).not_asked[0]
    assert "3599 s ahead of" in watched(-HOUR, 3).view.not_asked[0].message
    assert not watched(0, 3).view.not_asked


def test_how_far_behind_commits_were_is_right_in_spite_of_the_clock() -> None:
    right, wrong = (watched(by, 8).ring("billing", "orders", 0) for by in (0, HOUR))
    assert [c.lag for c in wrong[-4:]] == pytest.approx([c.lag for c in right[-4:]], abs=3)


def test_a_clock_that_is_set_is_seen_after_a_while() -> None:
    clocks = BrokerClocks()
    for n in range(4):
        clocks.hear(1, NOW + n * KEPT_MS, NOW + n * KEPT_MS, live=True)
    for n in range(4, 8):
        clocks.hear(1, NOW + n * KEPT_MS - HOUR, NOW + n * KEPT_MS, live=True)
    assert clocks.skew(1) == -HOUR


def test_a_broker_that_stamped_nothing_yet_has_the_time_of_the_others() -> None:
    clocks = BrokerClocks()
    assert clocks.time(2, NOW) == (NOW, True)
    clocks.hear(1, NOW - HOUR, NOW, live=True)
    assert clocks.time(2, NOW) == (NOW - HOUR, True)
    clocks.hear(2, NOW - 2 * HOUR, NOW, live=False)
    assert clocks.time(2, NOW + 5) == (NOW + 5 - HOUR, True)
