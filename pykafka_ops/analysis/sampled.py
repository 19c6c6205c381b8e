"""How far a share found in a sample may be from that of the whole: delete-a-group jackknife.

A sample is of clusters (ranges of a log), each chosen with the same probability and dealt to one of
GROUPS groups by chance. How much the share moves as one group after the other is left out is how
much chance is in it. P. S. Kott, "The delete-a-group jackknife" (2001).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum, sqrt
from typing import Final, NamedTuple

GROUPS: Final = 32
LEAST_GROUPS: Final = 8
"""What is in fewer groups than these is not told from noise."""
LEAST_BYTES: Final = 16 << 20
"""Of a topic that are read if it has as many: some thousand clusters of 16 KiB, 32 a group."""
ALL: Final = "all"
SAMPLE: Final = "sample"
NOISE: Final = "noise"
"""What a figure is made of: all there is, a sample, or too little of one."""
_T: Final = 2.0395
"""Student's t of 31 degrees of freedom: 95 % are within."""


class ShareBand(NamedTuple):
    """A share from 0 to 1, and the ends of its band of 95 %."""

    share: float
    low: float
    high: float


def rate_of(asked: float, size: int) -> float | None:
    """How probable each cluster of a topic with ``size`` bytes is, where ``asked`` of it is to be
    read: small topics are read to LEAST_BYTES, or whole (None)."""
    rate = max(asked, LEAST_BYTES / size) if size > 0 else 1.0
    return rate if rate < 1 else None


def share_band(
    part: Mapping[int, int], whole: Mapping[int, int], rate: float, missed: int = 0
) -> ShareBand | None:
    """The share of ``part`` in ``whole``, both weights by group of a sample that has each cluster
    with probability ``rate``; ``part`` may have ``missed`` more. None: not told from noise."""
    total, held = sum(whole.values()), sum(part.values())
    if sum(1 for size in part.values() if size > 0) < LEAST_GROUPS or held <= 0:
        return None
    without = [
        (held - part.get(group, 0)) / (total - size)
        for group, size in whole.items()
        if 0 < size < total
    ]
    count = len(without)
    if count < LEAST_GROUPS:
        return None
    mean = fsum(without) / count
    variance = (count - 1) / count * fsum((share - mean) ** 2 for share in without)
    share = held / total
    # Of what is read as a whole nothing is left to chance.
    reach = _T * sqrt(max(0.0, 1 - rate) * variance)
    return ShareBand(
        share,
        max(0.0, share - reach),
        min(1.0, share + reach + missed / total),
    )
