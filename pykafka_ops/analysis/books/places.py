"""The order of records from one bucket to another: the checksums of a bucket know only its own."""

from __future__ import annotations

from collections.abc import Iterable

from pykafka_ops.analysis.books.line import BookLine


def moved(pairs: Iterable[tuple[int, BookLine, BookLine]]) -> set[int]:
    """Starts of buckets whose records do not stand to those of the next one as in the other tier.

    ``pairs`` are buckets that have the same records in both, by their start. What
    is compared is the order of their first and last offsets: where buckets lie one behind the other
    or overlap in one tier, they do so in the other.
    """
    found: set[int] = set()
    before: tuple[int, BookLine, BookLine] | None = None
    for pair in pairs:
        if before is not None and _order(before[1], pair[1]) != _order(before[2], pair[2]):
            found |= {before[0], pair[0]}
        before = pair
    return found


def _order(one: BookLine, two: BookLine) -> tuple[bool, ...]:
    return tuple(
        x < y
        for x in (one.first_offset, one.last_offset)
        for y in (two.first_offset, two.last_offset)
    )
