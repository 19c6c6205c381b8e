"""How unevenly something is spread over partitions, brokers or directories. Exact, order-free."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, isqrt
from typing import Final, NamedTuple

EVEN: Final = "even"
UNEVEN: Final = "uneven"
SKEWED: Final = "skewed"
SEVERE: Final = "severe"
#: Greatest coefficient of variation of each band but the last (the bands of kafkatop).
BANDS: Final = ((0.2, EVEN), (0.5, UNEVEN), (1.0, SKEWED))
#: With fewer records per partition than this, nothing can be said of their spread.
TELLING: Final = 100
#: Bytes per second one partition takes from producers and gives to one consumer, if nothing else
#: is known; measure your own.
PRODUCER_RATE: Final = 10_000_000
CONSUMER_RATE: Final = 20_000_000
#: A key with this share of the bytes is why its partition is hot, whatever their number is.
HEAVY: Final = 0.1


class Imbalance(NamedTuple):
    """Three measures of the same values, each at its least where all are equal.

    ``max_over_mean``: 1 to the number of values; ``cv``: the coefficient of variation (standard
    deviation of all of them over their mean), from 0; ``gini``: 0 to below 1, twice the area
    between the Lorenz curve and that of even values.
    """

    max_over_mean: float
    cv: float
    gini: float

    @property
    def band(self) -> str:
        """even, uneven, skewed or severe, by ``cv``."""
        return next((name for most, name in BANDS if self.cv <= most), SEVERE)


def imbalance(values: Sequence[int]) -> Imbalance:
    """The measures of these values (0 or more). None at all, and nothing but 0, are even."""
    count, total = len(values), sum(values)
    if not total:
        return Imbalance(1.0, 0.0, 0.0)
    squares = count * sum(v * v for v in values) - total * total
    ranked = sum(i * v for i, v in enumerate(sorted(values), 1))
    return Imbalance(
        max(values) * count / total,
        _root(squares) / total,
        (2 * ranked - (count + 1) * total) / (count * total),
    )


def _root(square: int) -> float:
    """The square root of a whole number of any size, without overflow."""
    return square**0.5 if square < 1 << 900 else float(isqrt(square))


def skew_percent(value: int, mean: float) -> float:
    """How far a value is from the mean, in percent of it (as kafka-ui shows of brokers)."""
    return (value - mean) / mean * 100 if mean else 0.0


def hot(values: Sequence[int]) -> list[bool]:
    """Which of these stand out.

    At least twice the mean, or more than two standard deviations and a quarter above it: with few
    values none can be two deviations away, with many the mean says little.
    """
    total, count = sum(values), len(values)
    if count < 2 or not total:
        return [False] * count
    mean = total / count
    least = min(2 * mean, max(1.25 * mean, mean * (1 + 2 * imbalance(values).cv)))
    return [value >= least and value > mean for value in values]


def lorenz(values: Sequence[int], most: int = 100) -> list[tuple[float, float]]:
    """Points of the Lorenz curve, from (0, 0) to (1, 1): this share of the values, the smallest
    first, holds that share of the total. At most ``most`` steps."""
    ranked, total = sorted(values), sum(values)
    if not total:
        return [(0.0, 0.0), (1.0, 1.0)]
    points, held = [(0.0, 0.0)], 0
    every = max(1, ceil(len(ranked) / most))
    for i, value in enumerate(ranked, 1):
        held += value
        if i % every == 0 or i == len(ranked):
            points.append((i / len(ranked), held / total))
    return points


def partitions_for(
    target: float,
    producer_rate: float = PRODUCER_RATE,
    consumer_rate: float = CONSUMER_RATE,
) -> int:
    """Partitions it takes for ``target`` bytes/s where one takes ``producer_rate`` bytes/s and one
    consumer reads ``consumer_rate`` bytes/s: the greater of both quotients, at least 1."""
    return max(1, ceil(target / producer_rate), ceil(target / consumer_rate))


class TopicFacts(NamedTuple):
    """What advice on a topic is made of; rates in bytes/s, shares 0 to 1.

    ``records``: None where nobody knows how many there are;
    ``advised``: what ``partitions_for`` says of its peak, None where the rate is not known;
    ``hottest``: the partition that holds most, and ``hottest_share`` its share of the bytes;
    ``keys``: shares of the bytes of the heaviest keys as people read them, and ``null_share`` of
    the records without key; None where records were not looked at. ``sampled``: a sample of them
    was, shares of keys are what is sure of them.
    """

    partitions: int
    records: int | None
    balance: Imbalance
    advised: int | None
    hottest: int | None
    hottest_share: float
    keys: Mapping[str, float] | None
    null_share: float | None
    sampled: bool = False


def advice(facts: TopicFacts) -> str:
    """One line on what to do about a topic; empty if there is nothing to do."""
    lines = []
    if facts.advised is not None and facts.advised > facts.partitions:
        lines.append(f"peak throughput asks for {facts.advised} partitions")
    if facts.balance.band in (SKEWED, SEVERE):
        lines.append(_spread_advice(facts))
    return "; ".join(lines)


def _spread_advice(facts: TopicFacts) -> str:
    if facts.records is not None and facts.records < TELLING * facts.partitions:
        return "too few records to judge how they are spread"
    where = f"partition {facts.hottest} holds {facts.hottest_share:.0%}"
    if facts.keys is None:
        return f"{where}: look at its keys"
    fair = 1 / facts.partitions
    heavy = [(share, key) for key, share in facts.keys.items() if share >= min(HEAVY, fair)]
    if heavy:
        share, key = max(heavy)
        part = f"at least {share:.0%}" if facts.sampled else f"{share:.0%}"
        return (
            f"{where}, key {key} alone {part} of the bytes: more partitions do not help,"
            " split the key"
        )
    if facts.null_share is not None and facts.null_share > 0.5:
        some = " of the sample" if facts.sampled else ""
        return f"{where}, most records{some} have no key: see how producers choose partitions"
    sure = " for sure" if facts.sampled else ""
    return f"{where}, no key is heavy{sure}: see how producers choose partitions"
