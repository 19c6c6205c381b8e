"""What an expression is made of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

LAST = 0x10FFFF
Ranges = tuple[tuple[int, int], ...]
"""Code points from first to last, both in it; sorted, without overlap."""


class RegexError(Exception):
    """The expression is none; the text is as RE2/J describes it."""


class At(Enum):
    """Conditions on a place in the text."""

    BEGIN = "begin of text"
    END = "end of text"
    BEGIN_LINE = "begin of line"
    END_LINE = "end of line"
    WORD_EDGE = "edge of a word"
    NO_WORD_EDGE = "no edge of a word"


@dataclass(frozen=True, slots=True)
class Chars:
    """One character out of these."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Empty:
    """Nothing, where the condition holds; None: everywhere."""

    at: At | None = None


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after the other."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """One of them."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """The same, so many times; ``most`` None: without end."""

    part: Node
    least: int
    most: int | None


Node = Chars | Empty | Sequence | Either | Repeat


def merged(ranges: list[tuple[int, int]]) -> Ranges:
    """Sorted, without overlap."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(found[-1][1], last)
        else:
            found.append((first, last))
    return tuple(found)


def all_but(ranges: Ranges) -> Ranges:
    """The code points that are not in these."""
    found, begin = [], 0
    for first, last in ranges:
        if begin < first:
            found.append((begin, first - 1))
        begin = last + 1
    if begin <= LAST:
        found.append((begin, LAST))
    return tuple(found)


def either_case(ranges: Ranges) -> Ranges:
    """The same in upper and lower case, of Latin letters."""
    found = list(ranges)
    for first, last in ranges:
        for low, high, by in ((65, 90, 32), (97, 122, -32)):
            begin, end = max(first, low), min(last, high)
            if begin <= end:
                found.append((begin + by, end + by))
    return merged(found)
