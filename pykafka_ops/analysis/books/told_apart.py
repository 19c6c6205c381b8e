"""Records of two tiers told apart: lost, doubled, altered, in another order, or not there yet.

Each record of a partition stands here with its hash over all that the producer sent, and with
what makes it known again where a part of it has changed: its identity.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Final, Literal, NamedTuple

Kind = Literal["missing", "extra", "duplicate", "altered", "reordered", "pending"]
_MANY: Final = 1_000
"""Of so many records with one identity it is not looked for the nearest in time."""
KINDS: Final = ("missing", "extra", "duplicate", "altered", "reordered", "pending")


class ToldRecord(NamedTuple):
    """A record: where it is, its time (ms), its hash, that of its content without the time, and
    what it is known by (None: by nothing)."""

    offset: int
    timestamp: int
    hash: int
    content: int
    identity: Hashable | None = None


class Finding(NamedTuple):
    """What became of a record; ``a`` and ``b`` are what stands for it in each tier."""

    kind: Kind
    a: ToldRecord | None
    b: ToldRecord | None


def told_apart(
    a: Sequence[ToldRecord],
    b: Sequence[ToldRecord],
    *,
    a_settled: int | None = None,
    unique: bool = False,
) -> list[Finding]:
    """What differs between the records of two tiers, both in the order of their logs.

    ``a_settled``: records of the first at or above this offset, which the second does not have, are
    ``pending``, not ``missing``. ``unique``: no two records are known by the same. Of records that
    are there too often, the later ones are the duplicates. As few records as possible are called
    reordered.
    """
    pairs, only_a, only_b = _paired(a, b)
    findings = [Finding("reordered", one, two) for one, two in _out_of_order(pairs)]
    there = {record.hash for record, _ in pairs}
    known = {record.identity for record, _ in pairs} - {None} if unique else set()
    duplicates = [r for r in only_b if r.hash in there or r.identity in known]
    only_b = [r for r in only_b if r.hash not in there and r.identity not in known]
    findings += [Finding("duplicate", None, record) for record in duplicates]
    for same in (_same_content, _same_identity, _same_time):
        changed, only_a, only_b = _changed(only_a, only_b, same)
        findings += [Finding("altered", one, two) for one, two in changed]
    for record in only_a:
        pending = a_settled is not None and record.offset >= a_settled
        findings.append(Finding("pending" if pending else "missing", record, None))
    findings += [Finding("extra", None, record) for record in only_b]
    return sorted(findings, key=_place)


def _place(finding: Finding) -> tuple[int, int, int]:
    record = finding.a or finding.b
    assert record is not None
    return record.timestamp, record.offset, KINDS.index(finding.kind)


Pairs = list[tuple[ToldRecord, ToldRecord]]


def _paired(
    a: Iterable[ToldRecord], b: Iterable[ToldRecord]
) -> tuple[Pairs, list[ToldRecord], list[ToldRecord]]:
    """Equal records, each with its like in order; what is left of the first, of the second."""
    waiting: dict[int, list[ToldRecord]] = defaultdict(list)
    for record in a:
        waiting[record.hash].append(record)
    for found in waiting.values():
        found.reverse()
    pairs, only_b = [], []
    for record in b:
        like = waiting.get(record.hash)
        if like:
            pairs.append((like.pop(), record))
        else:
            only_b.append(record)
    only_a = sorted(record for found in waiting.values() for record in found)
    return pairs, only_a, only_b


def _out_of_order(pairs: Pairs) -> Pairs:
    """The fewest pairs without which both tiers have the rest in the same order; the pairs come in
    the order of the second."""
    tops: list[int] = []
    at: list[int] = []
    before = [-1] * len(pairs)
    for index, (one, _) in enumerate(pairs):
        place = bisect_left(tops, one.offset)
        before[index] = at[place - 1] if place else -1
        tops[place : place + 1] = [one.offset]
        at[place : place + 1] = [index]
    kept = set()
    index = at[-1] if at else -1
    while index >= 0:
        kept.add(index)
        index = before[index]
    return [pair for index, pair in enumerate(pairs) if index not in kept]


Same = Callable[[ToldRecord], Hashable | None]


def _nearest(like: deque[ToldRecord], timestamp: int) -> ToldRecord:
    """Take out the record that is nearest in time, of many the first."""
    if len(like) > _MANY:
        return like.popleft()
    nearest = min(like, key=lambda one: abs(one.timestamp - timestamp))
    like.remove(nearest)
    return nearest


def _same_content(record: ToldRecord) -> Hashable | None:
    return record.content


def _same_identity(record: ToldRecord) -> Hashable | None:
    return record.identity


def _same_time(record: ToldRecord) -> Hashable | None:
    return record.timestamp if record.identity is None and record.timestamp >= 0 else None


def _changed(
    only_a: list[ToldRecord], only_b: list[ToldRecord], same: Same
) -> tuple[Pairs, list[ToldRecord], list[ToldRecord]]:
    """Records of both that are the same by ``same``, nearest in time first; what is left."""
    waiting: dict[Hashable, deque[ToldRecord]] = defaultdict(deque)
    for record in only_a:
        known = same(record)
        if known is not None:
            waiting[known].append(record)
    pairs: Pairs = []
    left_b = []
    for record in only_b:
        like = waiting.get(same(record))
        if not like:
            left_b.append(record)
            continue
        pairs.append((_nearest(like, record.timestamp), record))
    taken = {one.offset for one, _ in pairs}
    return pairs, [record for record in only_a if record.offset not in taken], left_b
