"""When retention takes what a group has not read."""

from __future__ import annotations

from math import inf

import pytest

from pykafka_ops.analysis.lag.loss import Departure, is_silent, loss_in_seconds, retained_share

NOW = 1_000_000_000
LEAVES = [Departure(99, NOW - 5), Departure(199, NOW + 60_000), Departure(299, inf)]


@pytest.mark.parametrize(
    ("committed", "seconds"), [(50, 0.0), (99, 0.0), (100, 60.0), (199, 60.0), (200, inf)]
)
def test_a_record_goes_with_its_segment(committed: int, seconds: float) -> None:
    found = loss_in_seconds(LEAVES, NOW, committed=committed, lag=300 - committed, lead=5)
    assert found == seconds


def test_what_is_gone_is_gone_now_and_what_is_read_is_never_lost() -> None:
    assert loss_in_seconds(None, NOW, committed=5, lag=295, lead=-1) == 0.0
    assert loss_in_seconds(LEAVES, NOW, committed=300, lag=0, lead=300) == inf
    assert loss_in_seconds(None, NOW, committed=None, lag=0, lead=None) == inf


def test_what_cannot_be_told_is_not_never() -> None:
    assert loss_in_seconds(LEAVES, NOW, committed=400, lag=None, lead=400) is None
    assert loss_in_seconds(None, NOW, committed=5, lag=295, lead=5) is None
    assert loss_in_seconds(LEAVES, NOW, committed=None, lag=None, lead=None) is None
    assert loss_in_seconds(LEAVES[:1], NOW, committed=100, lag=5, lead=5) is None


def test_the_share_that_is_unread() -> None:
    assert retained_share(25, 100, 200) == 0.25
    assert retained_share(500, 100, 200) == 1.0
    assert retained_share(0, 7, 7) == 0.0
    assert retained_share(None, 0, 1) is None


def test_silence_is_longer_than_the_window() -> None:
    assert is_silent(601, 600, 10)
    assert not is_silent(600, 600, 10)
    assert not is_silent(9, 1, 10)
