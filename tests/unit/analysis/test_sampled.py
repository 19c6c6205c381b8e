"""Bands of shares: 95 of 100 samples of a known whole have its true share in theirs."""

from __future__ import annotations

from collections import Counter
from math import log
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.sampled import (
    GROUPS,
    LEAST_BYTES,
    LEAST_GROUPS,
    ShareBand,
    rate_of,
    share_band,
)

Cluster = tuple[int, int]
"""Bytes of a key, and of all."""
WEIGHTS = st.dictionaries(st.integers(0, GROUPS - 1), st.integers(0, 10_000), max_size=GROUPS)


def _even(random: Random) -> Cluster:
    """Each of 40 records has the key by chance."""
    sizes = [random.randrange(50, 200) for _ in range(40)]
    return sum(size for size in sizes if random.random() < 0.05), sum(sizes)


def _bursts(random: Random) -> Cluster:
    """The key is half of every tenth cluster, and clusters are of any size."""
    size = random.randrange(1_000, 60_000)
    return (size // 2 if random.random() < 0.1 else 0), size


def _drawn(random: Random, every: list[Cluster], rate: float) -> tuple[Counter[int], Counter[int]]:
    part: Counter[int] = Counter()
    whole: Counter[int] = Counter()
    at = -1
    while True:
        at += 1 + int(log(1 - random.random()) / log(1 - rate))
        if at >= len(every):
            return part, whole
        group = random.randrange(GROUPS)
        part[group] += every[at][0]
        whole[group] += every[at][1]


@pytest.mark.parametrize(
    ("made", "clusters", "rate"), [(_even, 60_000, 0.01), (_bursts, 60_000, 0.01),
                                   (_bursts, 2_000, 0.5)],
    ids=["even", "bursts", "half of few"],
)  # fmt: skip
def test_19_of_20_bands_have_the_truth(made: object, clusters: int, rate: float) -> None:
    random = Random(20)
    assert callable(made)
    every = [made(random) for _ in range(clusters)]
    true = sum(part for part, _ in every) / sum(whole for _, whole in every)
    bands = [share_band(*_drawn(random, every, rate), rate) for _ in range(300)]
    known = [band for band in bands if band is not None]
    assert len(known) == len(bands)
    covered = sum(band.low <= true <= band.high for band in known) / len(known)
    assert 0.92 < covered < 0.98
    mean = sum(band.share for band in known) / len(known)
    assert mean == pytest.approx(true, rel=0.02)


def test_what_is_in_few_groups_is_not_told_from_noise() -> None:
    whole = dict.fromkeys(range(GROUPS), 1_000)
    few = dict.fromkeys(range(LEAST_GROUPS - 1), 500)
    assert share_band(few, whole, 0.01) is None
    assert share_band({**few, LEAST_GROUPS: 0}, whole, 0.01) is None
    assert share_band({**few, LEAST_GROUPS: 1}, whole, 0.01) is not None
    assert share_band({}, {}, 0.01) is None
    small = dict.fromkeys(range(LEAST_GROUPS - 1), 10)
    assert share_band(small, small, 0.01) is None


def test_of_a_whole_nothing_is_left_to_chance() -> None:
    part = {group: group for group in range(GROUPS)}
    whole = dict.fromkeys(range(GROUPS), 100)
    share = sum(part.values()) / sum(whole.values())
    assert share_band(part, whole, 1.0) == ShareBand(share, share, share)
    low, high = (share_band(part, whole, rate) for rate in (0.5, 0.01))
    assert low is not None and high is not None
    assert high.low < low.low < share < low.high < high.high


def test_what_may_have_been_missed_widens_the_upper_end_alone() -> None:
    whole = dict.fromkeys(range(GROUPS), 100)
    part = {group: 10 + group % 2 for group in range(GROUPS)}
    plain, missed = share_band(part, whole, 0.1), share_band(part, whole, 0.1, 320)
    assert plain is not None and missed is not None
    assert missed == plain._replace(high=pytest.approx(plain.high + 0.1))


@given(WEIGHTS, WEIGHTS, st.floats(0.0001, 1.0))
def test_a_band_is_around_its_share_and_within_0_and_1(
    part: dict[int, int], rest: dict[int, int], rate: float
) -> None:
    whole = {g: part.get(g, 0) + rest.get(g, 0) for g in {*part, *rest}}
    band = share_band(part, whole, rate)
    if band is not None:
        assert 0 <= band.low <= band.share <= band.high <= 1


def test_small_topics_are_read_whole() -> None:
    assert rate_of(0.01, LEAST_BYTES) is None
    assert rate_of(0.01, 0) is None
    assert rate_of(0.01, 2 * LEAST_BYTES) == 0.5
    assert rate_of(0.01, 1 << 50) == 0.01
    assert rate_of(1.0, 1 << 50) is None
