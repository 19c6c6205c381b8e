"""Where a log ended at some moments, from no more answers than that takes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence, Set
from typing import Final, Protocol

FIRST: Final = 0
"""A moment from which on every record that has a time is found."""


class AskedLog(Protocol):
    """A log that is asked about moments, one after the other."""

    def asks(self, moment: int) -> bool:
        """Whether the moment has to be asked for; else it is known, or is not wanted."""

    def told(self, moment: int, offset: int, timestamp: int) -> None:
        """The answer: the first record from the moment on, and its time; below 0: there is none."""


class AskedEnds:
    """Goes through moments in order. An answer says more than was asked: the first record from a
    moment on is the first from every moment on up to its own time. From later than the newest
    record on there is none, nor from later than where there was none, and the log ended where it
    ends.

    ``end`` is the end of the log now, ``newest`` the time of its newest record (None: not known),
    ``first`` the first moment that is wanted; times in ms. ``pairs`` are moments and offsets;
    ``has_times``: an answer was a record.
    """

    __slots__ = ("_end", "_first", "_newest", "_until", "has_times", "pairs")

    def __init__(self, end: int, newest: int | None, first: int) -> None:
        self._end, self._newest, self._first = end, newest, first
        self._until = first - 1
        self.pairs: list[tuple[int, int]] = []
        self.has_times = False

    def asks(self, moment: int) -> bool:
        """Whether the moment has to be asked for; else it is in ``pairs``, or is not wanted."""
        if moment < self._first:
            return False
        if self._newest is not None and moment > self._newest:
            self.pairs.append((moment, self._end))
        elif moment <= self._until:
            self.pairs.append((moment, self.pairs[-1][1]))
        else:
            return True
        return False

    def told(self, moment: int, offset: int, timestamp: int) -> None:
        """The answer: the first record from the moment on, and its time; below 0: there is none."""
        self.pairs.append((moment, offset if offset >= 0 else self._end))
        if offset >= 0:
            self._until, self.has_times = timestamp, True
        else:
            self._newest = moment - 1


class AskedPast:
    """A log's first record, then its ``AskedEnds``: ``FIRST`` comes before all other moments."""

    __slots__ = ("_ends", "first")

    def __init__(self, end: int, newest: int | None) -> None:
        self._ends = AskedEnds(end, newest, FIRST)
        self.first: int | None = None

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """As those of ``AskedEnds``."""
        return [pair for pair in self._ends.pairs if pair[0] != FIRST]

    def asks(self, moment: int) -> bool:
        """As ``AskedLog``."""
        return moment == FIRST or self._ends.asks(moment)

    def told(self, moment: int, offset: int, timestamp: int) -> None:
        """As ``AskedLog``."""
        self._ends.told(moment, offset, timestamp)
        if moment == FIRST and offset >= 0:
            self.first = timestamp


class AskedBack:
    """Goes back through moments, the last one first, until the log ended at ``reach`` or before:
    the stretch of it that holds that offset is known then, whatever the order of its times. Of
    what is older the ``always`` moments are asked alone, and at the end ``FIRST``, unless the log
    had records before all that was asked, and they are known to have times.

    ``start`` and ``end`` are those of the log now, ``newest`` as ``AskedEnds``.
    """

    __slots__ = ("_always", "_back", "_end", "_newest", "_reach", "_start", "first")

    def __init__(
        self, start: int, end: int, newest: int | None, reach: int, always: Set[int]
    ) -> None:
        self._start, self._end, self._newest = start, end, newest
        self._reach, self._always = reach, always
        self._back: list[tuple[int, int]] = []
        self.first: int | None = None

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Moments and offsets, in order."""
        return self._back[::-1]

    def asks(self, moment: int) -> bool:
        """As ``AskedLog``."""
        behind = self._back[-1][1] if self._back else self._end
        if moment == FIRST:
            return self._newest is None or not self._back or behind <= self._start
        if moment not in self._always and behind <= self._reach:
            return False
        if self._newest is not None and moment > self._newest:
            self._back.append((moment, self._end))
            return False
        return True

    def told(self, moment: int, offset: int, timestamp: int) -> None:
        """As ``AskedLog``."""
        if moment != FIRST:
            self._back.append((moment, offset if offset >= 0 else self._end))
        elif offset >= 0:
            self.first = timestamp


def first_of(moments: Sequence[int], since: int) -> int:
    """Of moments in order the last that is not after ``since``, or the first of all: from there on
    they enclose every time from ``since`` on as all of them do."""
    return moments[max(0, bisect_right(moments, since) - 1)]
