"""What a plan is to reach: what of it is not reached, and the fewest bytes that reaching it copies.

Both are read off the replicas at the end, whatever the steps were that led there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from math import ceil, floor

from pykafka_ops.analysis.moves.model import BYTES, LEADERS, REPLICAS, Key
from pykafka_ops.analysis.moves.state import PlanState

_NAMED = 3
"""Partitions that a text names."""


def unmet(state: PlanState) -> list[str]:
    """The goals that are not reached, in words, those that must be reached first."""
    found = [*_not_empty(state), *_too_few(state), *_in_one_rack(state)]
    if len(state.open) < 2:
        return found
    goals = {BYTES: _uneven_bytes, REPLICAS: _uneven_replicas, LEADERS: _uneven_leaders}
    for what, judge in goals.items():
        if what in state.limits.balance:
            found += judge(state)
    return found


def least_bytes(state: PlanState) -> int:
    """Bytes that every plan copies which reaches all goals; ``state`` has reached them."""
    return int(max(_demanded(state), _levelled(state)))


def band(state: PlanState, counts: Mapping[int, int]) -> tuple[int, int]:
    """The least and the most of these that a broker should have."""
    mean = sum(counts.values()) / len(counts)
    slack = mean * state.limits.tolerance
    return min(floor(mean), ceil(mean - slack)), max(ceil(mean), floor(mean + slack))


def leaders_of(state: PlanState) -> dict[int, int]:
    """How many partitions each open broker is the preferred leader of."""
    counted = Counter(ids[0] for ids in state.replicas.values() if ids)
    return {id_: counted[id_] for id_ in state.open}


def _meant(state: PlanState) -> Iterator[tuple[Key, tuple[int, ...]]]:
    """Partitions that the goals are about, by name."""
    return ((key, ids) for key, ids in sorted(state.replicas.items()) if key not in state.others)


def _stays(state: PlanState) -> set[int]:
    """Brokers that may hold replicas in the end."""
    return {*state.open, *state.limits.keep}


# What is not reached


def _not_empty(state: PlanState) -> Iterator[str]:
    stays = _stays(state)
    left: dict[int, list[Key]] = {}
    for key, ids in _meant(state):
        for id_ in ids:
            if id_ not in stays:
                left.setdefault(id_, []).append(key)
    for id_, keys in sorted(left.items()):
        most = max(len(state.replicas[key]) for key in keys)
        many = f"{len(keys)} replica{'' if len(keys) == 1 else 's'}"
        if all(key in state.fixed for key in keys):
            why = "may not be moved now"
        elif most > len(stays):
            why = f"{most} replicas of a partition need {most} brokers, {len(stays)} are left"
        else:
            why = "no other broker may take them"
        yield f"broker {id_} keeps {many} ({_list_of(keys)}): {why}"


def _too_few(state: PlanState) -> Iterator[str]:
    wanted = state.limits.replication_factor
    wrong = [k for k, ids in _meant(state) if wanted is not None and len(ids) != wanted]
    if wrong:
        many = f"{len(wrong)} partition{' has' if len(wrong) == 1 else 's have'}"
        yield f"{many} no replication factor of {wanted} ({_list_of(wrong)})"


def _in_one_rack(state: PlanState) -> Iterator[str]:
    if not state.racks or not state.limits.mend_racks:
        return
    for key, ids in _meant(state):
        most = state.most_in_rack(len(ids))
        for rack, count in sorted(Counter(_racks_of(state, ids)).items()):
            if count > most:
                yield f"{key[0]}-{key[1]} has {count} replicas in rack {rack}"


def _racks_of(state: PlanState, ids: Iterable[int]) -> list[str]:
    return [rack for i in ids if (rack := state.racks.get(i)) is not None]


def _uneven_bytes(state: PlanState) -> Iterator[str]:
    aims = state.aims()
    slack = state.slack(aims)
    for id_ in state.open:
        off = state.load[id_] - aims[id_]
        if abs(off) > slack[id_] and (off > 0 or _may_grow(state, id_)):
            share = f"{off / aims[id_]:+.0%}" if aims[id_] else f"{off} bytes"
            yield f"broker {id_} stays {share} from its share"


def _uneven_replicas(state: PlanState) -> Iterator[str]:
    low, high = band(state, {i: state.count[i] for i in state.open})
    for id_ in state.open:
        count = state.count[id_]
        if count > high or (count < low and _may_grow(state, id_)):
            yield f"broker {id_} stays with {count} replicas, its share is {low} to {high}"


def _uneven_leaders(state: PlanState) -> Iterator[str]:
    counts = leaders_of(state)
    low, high = band(state, counts)
    for id_, count in counts.items():
        if not low <= count <= high:
            yield (
                f"broker {id_} stays the preferred leader of {count} partitions, its share is "
                f"{low} to {high}"
            )


def _may_grow(state: PlanState, id_: int) -> bool:
    return not state.limits.add or id_ in state.limits.add


def _list_of(keys: list[Key]) -> str:
    names = [f"{topic}-{number}" for topic, number in keys[:_NAMED]]
    return ", ".join([*names, "..."] if len(keys) > _NAMED else names)


# The fewest bytes


def _demanded(state: PlanState) -> int:
    """Of brokers that are emptied, of replicas that are added and of racks that had too many: a
    replica that is not on one of the old brokers is copied."""
    stays, total = _stays(state), 0
    for key, now in state.replicas.items():
        if key in state.fixed:
            continue
        old = [i for i in state.original[key] if i in stays]
        spare = 0
        if state.racks and state.limits.mend_racks:
            most = state.most_in_rack(len(now))
            spare = sum(max(0, n - most) for n in Counter(_racks_of(state, old)).values())
        total += max(0, len(now) - len(old) + spare) * state.size[key]
    return total


def _levelled(state: PlanState) -> float:
    """What brokers lack at first of the least that they may hold; and, where as many replicas
    come as go, what they hold at first above the most."""
    limits = state.limits
    factor = limits.replication_factor is not None
    if BYTES not in limits.balance or len(state.open) < 2 or (factor and limits.keep):
        return 0
    aims = state.aims()
    slack = state.slack(aims)
    lacking = sum(
        max(0, aims[i] - slack[i] - state.first[i]) for i in state.open if _may_grow(state, i)
    )
    if factor:
        return lacking
    held = dict.fromkeys(state.first, 0)
    for key, ids in state.original.items():
        for id_ in ids if key not in state.fixed else ():
            held[id_] += state.size[key]
    over = (
        min(held[i], load - aims[i] - slack[i])
        for i, load in state.first.items()
        if i not in limits.keep
    )
    return max(lacking, sum(max(0, n) for n in over))
