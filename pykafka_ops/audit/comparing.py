"""Two tiers side by side, partition by partition, by their books alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final, NamedTuple

from pykafka_ops.analysis.books.compare import (
    WRONG,
    BucketPair,
    CompareRules,
    PartitionBook,
    behind_ms,
    compare,
    settled_until,
)
from pykafka_ops.analysis.books.latest import KeyPair, LastValue, compare_keys
from pykafka_ops.analysis.books.line import across
from pykafka_ops.audit.book import AuditBook, CountedPlace, Tier
from pykafka_ops.errors import UsageError

_MOST_KEYS: Final = 10_000
"""Keys of a compacted partition that are kept one by one; more are counted."""


class TierSide(NamedTuple):
    """A tier, and the file that has its book."""

    book: AuditBook
    tier: Tier


@dataclass(slots=True)
class PartitionCompared:
    """A partition in both tiers. ``partition`` is -1 where all of a topic are taken together.

    ``pairs``: its buckets; ``keys``: of a compacted one the keys that differ, the first of them.
    ``behind_ms``: how far the second is behind; -1: it has nothing at all.
    """

    topic: str
    partition: int
    a: CountedPlace | None
    b: CountedPlace | None
    behind_ms: int
    compacted: bool = False
    pairs: Sequence[BucketPair] = ()
    keys: list[KeyPair] = field(default_factory=list)
    key_counts: dict[str, int] = field(default_factory=dict)
    records: tuple[int, int] = (0, 0)

    @property
    def wrong(self) -> list[BucketPair]:
        """The buckets that do not agree."""
        return [pair for pair in self.pairs if pair.state in WRONG]

    def count(self, *states: str) -> int:
        """How many buckets, of a compacted partition keys, are in these states."""
        if self.compacted:
            return sum(self.key_counts.get(state, 0) for state in states)
        return sum(pair.state in states for pair in self.pairs)


class CompareAsk(NamedTuple):
    """``wanted`` topics of the first tier, and what the second calls each; ``together``: the
    partitions of a topic are compared as one."""

    rules: CompareRules
    wanted: Callable[[str], bool]
    renamed: Callable[[str], str]
    together: bool = False


def compared(a: TierSide, b: TierSide, ask: CompareAsk) -> Iterator[PartitionCompared]:
    """Every partition of either tier, in order. Raises UsageError where they cannot be compared."""
    if a.tier.width != b.tier.width:
        raise UsageError(
            f"{a.tier.name} was counted in buckets of {a.tier.width} ms, {b.tier.name} of "
            f"{b.tier.width} ms: collect one of them anew with the --bucket of the other"
        )
    ones = {(ask.renamed(p.topic), p.partition): p for p in a.book.places(a.tier)}
    twos = {(p.topic, p.partition): p for p in b.book.places(b.tier)}
    own = {key[0]: place.topic for key, place in ones.items()}
    names = {ask.renamed(name): name for name in own.values()}
    keys = [
        key
        for key in sorted({*ones, *(k for k in twos if k[0] in names)})
        if ask.wanted(names[key[0]])
    ]
    looks = _Latest(a), _Latest(b)
    for topic, group in groupby(keys, key=lambda key: key[0]):
        found = [(ones.get(key), twos.get(key)) for key in group]
        compacted = any(place is not None and place.compacted for pair in found for place in pair)
        if ask.together and not compacted:
            yield _together(names[topic], found, looks, ask.rules)
            continue
        for one, two in found:
            if compacted:
                yield _by_key(names[topic], (one, two), looks, ask.rules)
            else:
                yield _by_bucket(names[topic], (one, two), looks, ask.rules)


class _Latest:
    """A tier, and when it was looked at last."""

    def __init__(self, side: TierSide) -> None:
        self.side = side
        self.read_ms = max((p.read_ms for p in side.book.places(side.tier)), default=-1)

    def book(self, place: CountedPlace | None) -> PartitionBook:
        if place is None:
            return PartitionBook({}, self.read_ms, -1)
        return self.side.book.book(place)


Places = tuple[CountedPlace | None, CountedPlace | None]
Looks = tuple[_Latest, _Latest]


def _by_bucket(topic: str, places: Places, looks: Looks, rules: CompareRules) -> PartitionCompared:
    a, b = looks[0].book(places[0]), looks[1].book(places[1])
    one = places[0] or places[1]
    assert one is not None
    return _result(topic, one.partition, places, (a, b), rules)


def _together(
    topic: str, found: Sequence[Places], looks: Looks, rules: CompareRules
) -> PartitionCompared:
    """All partitions of a topic as one: they may be divided otherwise."""
    a = _joined([looks[0].book(one) for one, _ in found if one is not None], looks[0])
    b = _joined([looks[1].book(two) for _, two in found if two is not None], looks[1])
    return _result(topic, -1, (None, None), (a, b), rules._replace(ordered=False))


def _joined(books: Iterable[PartitionBook], look: _Latest) -> PartitionBook:
    every = list(books)
    if not every:
        return look.book(None)
    spans = [span for book in every for span in book.dropped]
    read_ms = min(book.read_ms for book in every)
    newest = max(book.newest_ms for book in every)
    return PartitionBook(across(book.lines for book in every), read_ms, newest, spans)


def _result(
    topic: str,
    partition: int,
    places: Places,
    books: tuple[PartitionBook, PartitionBook],
    rules: CompareRules,
) -> PartitionCompared:
    pairs = list(compare(*books, rules))
    return PartitionCompared(
        topic, partition, *places, behind_ms(*books), pairs=pairs,
        records=(sum(p.a.records for p in pairs), sum(p.b.records for p in pairs)),
    )  # fmt: skip


def _by_key(topic: str, places: Places, looks: Looks, rules: CompareRules) -> PartitionCompared:
    books = looks[0].book(places[0]), looks[1].book(places[1])
    one = places[0] or places[1]
    assert one is not None
    found = PartitionCompared(topic, one.partition, *places, behind_ms(*books), compacted=True)
    one_side, two_side = (_values(place, look) for place, look in zip(places, looks, strict=True))
    for pair in compare_keys(one_side, two_side, settled_until(*books, rules)):
        found.key_counts[pair.state] = found.key_counts.get(pair.state, 0) + 1
        if len(found.keys) < _MOST_KEYS:
            found.keys.append(pair)
    found.records = (_keys(places[0], looks[0]), _keys(places[1], looks[1]))
    return found


def _keys(place: CountedPlace | None, look: _Latest) -> int:
    return 0 if place is None else look.side.book.count_keys(place)


def _values(place: CountedPlace | None, look: _Latest) -> Iterator[LastValue]:
    return iter(()) if place is None else look.side.book.latest(place)
