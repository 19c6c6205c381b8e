"""Numbers of replicas and of preferred leaders: even to one, or to the tolerance.

Replicas: the smallest ones go from brokers with too many to those with too few, as long as bytes
stay within the tolerance. Leaders: no byte is moved, replicas of a partition change places in its
list; where two brokers have no partition in common, a chain of others comes between.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from itertools import pairwise

from pykafka_ops.analysis.moves.goals import band, leaders_of
from pykafka_ops.analysis.moves.model import BYTES, Key
from pykafka_ops.analysis.moves.state import PlanState


def level_replicas(state: PlanState) -> None:
    """Until all have their share of replicas, or nothing helps."""
    if len(state.open) < 2:
        return
    low, high = band(state, {i: state.count[i] for i in state.open})
    aims = state.aims()
    while any(not low <= state.count[i] <= high for i in state.open):
        step = _smallest(state, aims, low, high)
        if step is None:
            break
        state.level(*step)


def _smallest(
    state: PlanState, aims: Mapping[int, int], low: int, high: int
) -> tuple[Key, int, int] | None:
    """The smallest replica that may go from the brokers with most to those with fewest."""
    add = state.limits.add
    most = sorted(state.open, key=lambda i: (-state.count[i], -state.load[i], i))
    fewest = [i for i in reversed(most) if not add or i in add]
    for source in most:
        found = [
            (size, source, target, key)
            for target in fewest
            if state.count[source] - state.count[target] > 1
            and (state.count[source] > high or state.count[target] < low)
            for size, key in _first_that_fits(state, aims, source, target)
        ]
        if found:
            _, source, target, key = min(found)
            return key, source, target
    return None


def _first_that_fits(
    state: PlanState, aims: Mapping[int, int], source: int, target: int
) -> Iterator[tuple[int, Key]]:
    for entry in state.held[source]:
        size, key = entry[0], state.key(entry)
        if not state.within_limits(1, size) or not _stays_even(state, aims, source, target, size):
            return
        if state.legal(key, source, target):
            yield size, key
            return


def _stays_even(
    state: PlanState, aims: Mapping[int, int], source: int, target: int, size: int
) -> bool:
    """Whether neither broker leaves the tolerance for bytes, nor gets further out of it."""
    if BYTES not in state.limits.balance:
        return True
    changes = ((source, -size), (target, size))
    for id_, change in changes:
        now, then = (abs(state.load[id_] + c - aims[id_]) for c in (0, change))
        if then > max(now, aims[id_] * state.limits.tolerance):
            return False
    return True


def level_leaders(state: PlanState) -> None:
    """Until all have their share of preferred leaders, or nothing helps."""
    if len(state.open) < 2:
        return
    leads: dict[int, dict[int, set[Key]]] = {i: {} for i in state.open}
    for key, ids in state.replicas.items():
        if ids and ids[0] in leads and key not in state.fixed:
            _note(leads, key, ids)
    count = leaders_of(state)
    low, high = band(state, count)
    while True:
        off = [i for i in count if not low <= count[i] <= high]
        path = next((p for i in _furthest(off, count) if (p := _path(leads, count, i))), None)
        if path is None:
            return
        for source, target in pairwise(path):
            key = min(leads[source][target])
            _forget(leads, key, state.replicas[key])
            state.lead(key, target)
            _note(leads, key, state.replicas[key])
        count[path[0]] -= 1
        count[path[-1]] += 1


def _furthest(off: list[int], count: Mapping[int, int]) -> list[int]:
    mean = sum(count.values()) / len(count)
    return sorted(off, key=lambda i: (-abs(count[i] - mean), i))


def _note(leads: dict[int, dict[int, set[Key]]], key: Key, ids: tuple[int, ...]) -> None:
    for id_ in ids[1:]:
        if id_ in leads:
            leads[ids[0]].setdefault(id_, set()).add(key)


def _forget(leads: dict[int, dict[int, set[Key]]], key: Key, ids: tuple[int, ...]) -> None:
    for id_ in ids[1:]:
        if id_ in leads:
            leads[ids[0]][id_].discard(key)


def _path(
    leads: Mapping[int, Mapping[int, set[Key]]], count: Mapping[int, int], id_: int
) -> list[int] | None:
    """The shortest chain of brokers along which one leadership leaves ``id_``, or comes to it: to
    a broker with two less at least, or from one with two more."""
    mean = sum(count.values()) / len(count)
    over = count[id_] > mean
    came: dict[int, int | None] = {id_: None}
    queue = deque([id_])
    while queue:
        here = queue.popleft()
        if (count[id_] - count[here] if over else count[here] - count[id_]) > 1:
            chain, at = [here], came[here]
            while at is not None:
                chain.append(at)
                at = came[at]
            return chain[::-1] if over else chain
        for other in sorted(leads):
            keys = leads[here].get(other) if over else leads[other].get(here)
            if other not in came and keys:
                came[other] = here
                queue.append(other)
    return None
