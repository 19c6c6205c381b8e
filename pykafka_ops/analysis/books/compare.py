"""Two books of the same partition side by side: which buckets differ, and what that may mean.

A bucket is judged only where both books can be complete. It is ``open`` while the first tier may
still get records of its time or the second has not come so far (that is freshness, not loss), and
``partial`` where a tier had dropped records of that time before they could be counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from pykafka_ops.analysis.books.line import EMPTY, NO_TIME, BookLine, Lines
from pykafka_ops.analysis.books.places import moved

State = Literal["equal", "reordered", "missing", "extra", "altered", "open", "partial"]
STATES: Final = ("equal", "reordered", "missing", "extra", "altered", "open", "partial")
WRONG: Final = ("reordered", "missing", "extra", "altered")
"""States that are no agreement; ``missing``: fewer records than in the first book, ``extra``: more,
``altered``: as many, but not the same."""

Span = tuple[int, int]
"""From a time (ms) up to before another."""


@dataclass(frozen=True, slots=True)
class PartitionBook:
    """What was counted of a partition.

    ``read_ms``: when its end was looked at; all that was there by then is counted (-1: that has not
    been). ``newest_ms``: the latest timestamp that is no mistake (-1: no record has one).
    ``dropped``: times of which records were gone before they could be counted.
    """

    lines: Lines
    read_ms: int
    newest_ms: int
    dropped: Sequence[Span] = field(default=())


class BucketPair(NamedTuple):
    """A bucket in both books; ``missing`` and ``extra`` are the least number of records that the
    second has too few or too many."""

    start: int
    state: State
    a: BookLine
    b: BookLine

    @property
    def missing(self) -> int:
        return max(0, self.a.records - self.b.records) if self.state in WRONG else 0

    @property
    def extra(self) -> int:
        return max(0, self.b.records - self.a.records) if self.state in WRONG else 0

    @property
    def pending(self) -> int:
        """Records that the second has not yet, of an open bucket."""
        return max(0, self.a.records - self.b.records) if self.state == "open" else 0


class CompareRules(NamedTuple):
    """``width`` of a bucket, ``grace`` for records that come late (both ms), ``times`` that are
    looked at (None: open), ``ordered``: the order counts."""

    width: int
    grace: int = 0
    times: tuple[int | None, int | None] = (None, None)
    ordered: bool = True


def compare(a: PartitionBook, b: PartitionBook, rules: CompareRules) -> Iterator[BucketPair]:
    """Every bucket of both books, by time; records without a timestamp come first."""
    until = settled_until(a, b, rules)
    pairs = []
    for start in sorted({*a.lines, *b.lines}):
        if not _wanted(start, rules):
            continue
        one, two = a.lines.get(start, EMPTY), b.lines.get(start, EMPTY)
        state = _state(start, (one, two), (a, b), (rules, until))
        pairs.append(BucketPair(start, state, one, two))
    same = [(p.start, p.a, p.b) for p in pairs if p.state in ("equal", "reordered")]
    elsewhere = moved(same) if rules.ordered else ()
    for pair in pairs:
        yield pair._replace(state="reordered") if pair.start in elsewhere else pair


def settled_until(a: PartitionBook, b: PartitionBook, rules: CompareRules) -> int:
    """The time (ms) up to which both books are complete: neither was read before it was over, and
    the second, if it has any record, has come to it where the first has later ones. Records may
    come later than their time by ``grace``."""
    over = min(a.read_ms, b.read_ms)
    if 0 <= b.newest_ms < a.newest_ms:
        over = min(over, b.newest_ms)
    return over - rules.grace


def behind_ms(a: PartitionBook, b: PartitionBook) -> int:
    """How far the second is behind the first, by their latest records."""
    return max(0, a.newest_ms - b.newest_ms) if b.newest_ms >= 0 or a.newest_ms < 0 else -1


def _wanted(start: int, rules: CompareRules) -> bool:
    first, end = rules.times
    if start == NO_TIME:
        return first is None and end is None
    return (first is None or start + rules.width > first) and (end is None or start < end)


def _state(
    start: int,
    lines: tuple[BookLine, BookLine],
    books: tuple[PartitionBook, PartitionBook],
    limits: tuple[CompareRules, int],
) -> State:
    (a, b), (rules, until) = lines, limits
    if a.same(b) if rules.ordered else a.same_records(b):
        return "equal"
    end = start + rules.width
    if start != NO_TIME and end > until:
        return "open"
    # Records that come late stand behind newer ones: both limits of what was dropped are blurred.
    early, late = start - rules.grace, end + rules.grace
    if any(first < late and early < last for book in books for first, last in book.dropped):
        return "partial"
    if a.records != b.records:
        return "missing" if a.records > b.records else "extra"
    return "reordered" if a.same_records(b) else "altered"
