"""What has to be moved: replicas of brokers that are to be emptied, of racks that hold too many,
and to have as many as are asked for."""

from __future__ import annotations

from pykafka_ops.analysis.moves.model import Key, PlanError
from pykafka_ops.analysis.moves.state import PlanState


def mend(state: PlanState) -> None:
    """Empty drained and unknown brokers, give each partition its number of replicas, and separate
    replicas that share a rack without need."""
    wanted = state.limits.replication_factor
    if wanted is not None:
        _check(state, wanted)
        _shrink(state, wanted)
    _empty(state)
    if wanted is not None:
        _grow(state, wanted)
    if state.racks and state.limits.mend_racks:
        _mend_racks(state)


def _check(state: PlanState, wanted: int) -> None:
    if wanted < 1:
        raise PlanError(f"a replication factor of {wanted}: give 1 or more")
    if wanted > len(state.open):
        raise PlanError(
            f"a replication factor of {wanted} needs {wanted} brokers that may get replicas, "
            f"there are {len(state.open)}"
        )


def _empty(state: PlanState) -> None:
    stays = set(state.open) | state.limits.keep
    leaving = [id_ for id_ in sorted(state.held) if id_ not in stays]
    held = [(-size, -place, id_) for id_ in leaving for size, place in state.held[id_]]
    for _, place, id_ in sorted(held):
        key = state.keys[place]
        _elsewhere(state, key, id_)


def _elsewhere(state: PlanState, key: Key, source: int, rack: str | None = None) -> None:
    """Move a replica to the broker that is furthest below its fair share, out of ``rack``; it
    stays where no broker may take it."""
    ranked = (i for i in _ranked(state) if rack is None or state.racks[i] != rack)
    target = next((i for i in ranked if state.legal(key, source, i)), None)
    if target is not None:
        state.move(key, source, target)


def _ranked(state: PlanState) -> list[int]:
    """Brokers that may get replicas, those that lack most first."""
    aims = state.aims()
    return sorted(state.open, key=lambda i: (state.load[i] - aims[i], state.count[i], i))


def _mend_racks(state: PlanState) -> None:
    for key in sorted(state.replicas):
        if key in state.fixed:
            continue
        most = state.most_in_rack(len(state.replicas[key]))
        seen: dict[str, int] = {}
        for id_ in state.replicas[key]:
            rack = state.racks.get(id_)
            if rack is None:
                continue
            seen[rack] = seen.get(rack, 0) + 1
            if seen[rack] > most:
                _elsewhere(state, key, id_, rack)


def _shrink(state: PlanState, wanted: int) -> None:
    """Give up replicas: of brokers that are to be empty first, then of racks that have several,
    then of brokers that have most; the preferred leader only if it must go anyway."""
    for key in sorted(state.replicas):
        while len(state.replicas[key]) > wanted and key not in state.fixed:
            state.drop(key, max(state.replicas[key], key=lambda i: _burden(state, key, i)))


def _burden(state: PlanState, key: Key, id_: int) -> tuple[bool, bool, bool, int, int, int, int]:
    """What speaks for giving up a replica, the weightiest first."""
    ids = state.replicas[key]
    rack = state.racks.get(id_)
    shared = sum(1 for i in ids if rack is not None and state.racks.get(i) == rack)
    gone = id_ not in state.limits.keep and id_ not in state.open
    down = id_ in state.limits.keep
    return gone, down, id_ != ids[0], shared, state.load[id_], state.count[id_], id_


def _grow(state: PlanState, wanted: int) -> None:
    """Add replicas, the largest first: in racks that have fewest, on brokers that lack most."""
    short = [k for k, ids in state.replicas.items() if len(ids) < wanted and k not in state.fixed]
    for key in sorted(short, key=lambda k: (-state.size[k], k)):
        while len(state.replicas[key]) < wanted:
            target = min(
                (i for i in state.open if _can_take(state, key, i)),
                key=lambda i: (_in_rack(state, key, i), _fill(state, i), state.count[i], i),
                default=None,
            )
            if target is None:
                break
            state.add(key, target)


def _can_take(state: PlanState, key: Key, id_: int) -> bool:
    return id_ not in state.replicas[key] and state.fits(id_, state.size[key])


def _in_rack(state: PlanState, key: Key, id_: int) -> int:
    rack = state.racks.get(id_)
    return sum(1 for i in state.replicas[key] if rack is not None and state.racks.get(i) == rack)


def _fill(state: PlanState, id_: int) -> float:
    """How full a broker is, as far as brokers can be compared."""
    sizes = [state.brokers[i].capacity for i in state.open]
    capacity = state.brokers[id_].capacity
    return state.load[id_] / capacity if capacity and all(sizes) else float(state.load[id_])
