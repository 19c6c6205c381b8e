"""Bytes: the moves that bring brokers within the tolerance of their fair shares.

The move that relieves most bytes per byte moved is made, again and again: the smallest replica
that brings a broker within the tolerance, else the largest that fits. Where no move helps, two
replicas change places.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from pykafka_ops.analysis.moves.model import Key
from pykafka_ops.analysis.moves.state import PlanState

_SWAPS = 200
"""Replicas of a broker that are tried in swaps, the largest first."""
_OTHERS = 64
"""Brokers that are tried with one that is off its share, those furthest off first."""
Steps = list[tuple[Key, int, int]]
Scored = tuple[tuple[float, ...], Steps]


def level_bytes(state: PlanState) -> None:
    """Move, then swap, until all are within the tolerance or nothing helps."""
    if len(state.open) > 1:
        _Bytes(state).run()


class _Bytes:
    def __init__(self, state: PlanState) -> None:
        self.state, self.load = state, state.load
        self.aims = state.aims()
        self.slack = state.slack(self.aims)

    def run(self) -> None:
        state = self.state
        while True:
            off = [i for i in state.open if abs(self.load[i] - self.aims[i]) > self.slack[i]]
            if not off:
                return
            steps = self._best(off)
            if steps is None or not state.within_limits(len(steps), 0):
                return
            for step in steps:
                state.level(*step)

    def _best(self, off: Sequence[int]) -> Steps | None:
        """The best move, or else swap, for the broker that is furthest off; else for the next."""
        size = self.state.size
        ranked = sorted(off, key=lambda i: (-abs(self.load[i] - self.aims[i]), i))
        for find in (self._moves, self._swaps):
            for id_ in ranked:
                found = [
                    scored
                    for source, target in self._pairs(id_)
                    for scored in find(source, target)
                    if self.state.within_limits(0, sum(size[key] for key, _, _ in scored[1]))
                ]
                if found:
                    return min(found, key=lambda f: f[0])[1]
        return None

    def _pairs(self, id_: int) -> Iterator[tuple[int, int]]:
        """(from, to) brokers that level ``id_``: to those below their share, or from those above,
        of many those that are furthest off."""
        add = self.state.limits.add
        over = self.load[id_] > self.aims[id_]
        sign = 1 if over else -1
        off = {o: sign * (self.aims[o] - self.load[o]) for o in self.state.open}
        others = [o for o, by in off.items() if by > 0 and (not add or (o if over else id_) in add)]
        if len(others) > _OTHERS:
            others = sorted(others, key=lambda o: (-off[o], o))[:_OTHERS]
        for other in others:
            yield (id_, other) if over else (other, id_)

    def _moves(self, source: int, target: int) -> Iterator[Scored]:
        """The smallest replica that is enough; the largest that fills no more than is needed, and
        the next larger one."""
        load, aims, slack = self.load, self.aims, self.slack
        over, under = load[source] - aims[source], aims[target] - load[target]
        enough = max(over - slack[source], under - slack[target])
        held = self.state.held[source]
        most = bisect_right(held, (min(over, under), 1))
        least = bisect_left(held, (max(1, enough), -len(self.state.keys)))
        for places in (range(least, most), range(most - 1, -1, -1), range(most, len(held))):
            for i in places:
                size, key = held[i][0], self.state.key(held[i])
                relieved = _relieved(over, under, size)
                if relieved <= 0:
                    break
                if self.state.legal(key, source, target):
                    better = (0, size) if enough <= size <= min(over, under) else (1, -relieved)
                    score = (-relieved / size, *better, size, source, target)
                    yield score, [(key, source, target)]
                    break

    def _swaps(self, source: int, target: int) -> Iterator[Scored]:
        """Two replicas that change places, the larger one from ``source``."""
        state = self.state
        over = self.load[source] - self.aims[source]
        under = self.aims[target] - self.load[target]
        if state.limits.add:
            return
        theirs = state.held[target][-_SWAPS:]
        for entry in reversed(state.held[source][-_SWAPS:]):
            size, one = entry[0], state.key(entry)
            if not state.legal(one, source, target):
                continue
            at = bisect_right(theirs, (size - min(over, under), 1))
            for found in reversed(theirs[max(0, at - 2) : at + 1]):
                other, two = found[0], state.key(found)
                relieved = _relieved(over, under, size - other)
                if size > other and relieved > 0 and state.legal(two, target, source):
                    score = (-relieved / (size + other), -relieved, size, source, target)
                    yield score, [(one, source, target), (two, target, source)]


def _relieved(over: int, under: int, size: int) -> int:
    """By how much both brokers together come nearer to their shares when ``size`` goes over."""
    return abs(over) + abs(under) - abs(over - size) - abs(under - size)
