"""Compacted topics: not what was written counts there, but the last value of each key.

When a log is cleaned differs from tier to tier, and a tombstone goes one day. So a key whose last
record is a tombstone is the same as a key that is not there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pykafka_ops.analysis.books.compare import State


class LastValue(NamedTuple):
    """The last record of a key: hash of the key, its offset, its hash, its time (ms)."""

    key: int
    offset: int
    hash: int
    timestamp: int
    tombstone: bool


class KeyPair(NamedTuple):
    """A key whose last values differ."""

    state: State
    a: LastValue | None
    b: LastValue | None


def compare_keys(
    a: Iterable[LastValue], b: Iterable[LastValue], settled_until: int
) -> Iterator[KeyPair]:
    """The keys that differ; both come in the order of ``key``.

    ``missing``: the second has not the first's last value (or deletion); ``extra``: it has one that
    the first has not; ``altered``: both have one of the same time; ``open``: the value is not older
    than ``settled_until`` (ms), and may be on its way.
    """
    for one, two in _merged(a, b):
        if _gone(one) and _gone(two):
            continue
        if one is not None and two is not None and one.hash == two.hash:
            continue
        newest = max(v.timestamp for v in (one, two) if v is not None)
        if newest >= settled_until:
            yield KeyPair("open", one, two)
        else:
            yield KeyPair(_differs(one, two), one, two)


def _gone(value: LastValue | None) -> bool:
    return value is None or value.tombstone


def _differs(a: LastValue | None, b: LastValue | None) -> State:
    if b is None:
        return "missing"
    if a is None or a.timestamp < b.timestamp:
        return "extra"
    return "missing" if a.timestamp > b.timestamp else "altered"


def _merged(
    a: Iterable[LastValue], b: Iterable[LastValue]
) -> Iterator[tuple[LastValue | None, LastValue | None]]:
    left, right = iter(a), iter(b)
    one, two = next(left, None), next(right, None)
    while one is not None or two is not None:
        if two is None or (one is not None and one.key < two.key):
            yield one, None
            one = next(left, None)
        elif one is None or two.key < one.key:
            yield None, two
            two = next(right, None)
        else:
            yield one, two
            one, two = next(left, None), next(right, None)
