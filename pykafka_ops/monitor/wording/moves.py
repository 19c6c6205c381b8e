"""How far replica moves are: bytes that are there, bytes to come. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from pykafka_ops.monitor.cluster.answers import Partition
from pykafka_ops.monitor.cluster.view import ClusterView

Row = dict[str, Any]
LEAST_MS: Final = 60_000
"""A rate over less time means nothing."""


class MovesLeft(NamedTuple):
    """All moves together: how many, bytes to copy in all and bytes to go (None: not known)."""

    moves: int
    bytes: int | None
    left: int | None


def move_progress(view: ClusterView) -> list[Row]:
    """A row for every move under way, those with the most bytes to go first. ``left`` is what the
    new replicas lack of the size of the leader's."""
    moves = view.moves or {}
    if not moves:
        return []
    sizes = _sizes(view, set(moves))
    leaders = _leaders(view, set(moves))
    rows = []
    for (topic, number), move in moves.items():
        held = sizes.get((topic, number), {})
        whole = held.get(leaders.get((topic, number), -1))
        known = whole is not None and set(move.adding) <= (view.dirs or {}).keys()
        total = whole * len(move.adding) if known and whole is not None else None
        there = sum(min(held.get(b, 0), whole or 0) for b in move.adding) if known else None
        rows.append(
            {
                "topic": topic,
                "partition": number,
                "replicas": move.replicas,
                "adding": move.adding,
                "removing": move.removing,
                "bytes": total,
                "left": None if total is None or there is None else total - there,
                "share": there / total if total and there is not None else None,
            }
        )
    return sorted(rows, key=lambda row: -(row["left"] or 0))


def moves_left(view: ClusterView, rows: Sequence[Row]) -> MovesLeft | None:
    """All moves (``move_progress``) in one line; None where no broker listed moves."""
    if view.moves is None:
        return None
    sizes, left = [row["bytes"] for row in rows], [row["left"] for row in rows]
    if None in sizes or None in left:
        return MovesLeft(len(rows), None, None)
    return MovesLeft(len(rows), sum(sizes), sum(left))


def seconds_left(left: int, past: Sequence[tuple[int, float]]) -> float | None:
    """How long it takes at the rate of ``past``, bytes left over time (ms); None: not known, or
    nothing moves."""
    if len(past) < 2 or past[-1][0] - past[0][0] < LEAST_MS:
        return None
    rate = (past[0][1] - past[-1][1]) * 1000 / (past[-1][0] - past[0][0])
    return left / rate if rate > 0 else None


def _sizes(view: ClusterView, wanted: set[Partition]) -> dict[Partition, dict[int, int]]:
    """Bytes of each replica of these partitions by broker."""
    found: dict[Partition, dict[int, int]] = {}
    for broker, dirs in (view.dirs or {}).items():
        for replica in (r for d in dirs for r in d.replicas):
            if (place := (replica.topic, replica.partition)) in wanted:
                found.setdefault(place, {})[broker] = replica.size
    return found


def _leaders(view: ClusterView, wanted: set[Partition]) -> dict[Partition, int]:
    topics = {topic for topic, _ in wanted}
    return {
        (name, p.number): p.leader
        for name in topics
        if (watched := (view.topics or {}).get(name)) is not None
        for p in watched.description.partitions
        if (name, p.number) in wanted
    }
