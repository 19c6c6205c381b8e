"""Partitions and topics of a link as rows: what state they are in, sums. Pure.

``pko mirror status`` and the monitor show them. What is not known is None, never 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

OK, BEHIND, PAUSED, UNKNOWN = "ok", "behind", "paused", "not known"
NEW, IDLE, LOST, STOPPED = "not begun", "no process", "gap", "stopped"
STATES: Final = (OK, BEHIND, PAUSED, UNKNOWN, NEW, IDLE, LOST, STOPPED)
"""The worst last."""


class SeenPartition(NamedTuple):
    """A partition of the source. What is not known is None. ``lag`` in records (offsets),
    ``lag_seconds``: the age of the first record that is not copied yet; ``state`` one of STATES:
    ``gap`` where the source has deleted records before they were copied, ``stopped`` where a
    process says that it cannot copy it: ``trouble`` says why."""

    link: str
    topic: str
    partition: int
    target_topic: str
    position: int | None
    source_start: int | None
    source_end: int | None
    lag: int | None
    lag_bytes: int | None
    lag_seconds: float | None
    copied_per_second: float | None
    added_per_second: float | None
    eta_seconds: float | None
    member: str | None
    state: str
    trouble: str | None = None


def is_bad(state: object) -> bool:
    """Whether something is wrong with what is in this state, or nobody knows."""
    return state not in (OK, BEHIND, PAUSED)


def partition_state(
    position: int | None,
    start: int | None,
    lag: int | None,
    *,
    is_paused: bool,
    is_copied: bool | None,
) -> str:
    """One of STATES but STOPPED; ``start`` is where the source's log begins, ``is_copied`` whether
    a process has the partition (None: not known)."""
    if is_paused:
        return PAUSED
    if is_copied is False:
        return IDLE
    if position is None:
        return OK if lag == 0 else NEW
    if start is not None and position < start:
        return LOST
    if lag is None:
        return UNKNOWN
    return BEHIND if lag else OK


def by_topic(rows: Sequence[SeenPartition]) -> list[dict[str, Any]]:
    """A row for each topic: sums, the worst of ages and states; None where a part is not known."""
    topics: dict[tuple[str, str], list[SeenPartition]] = {}
    for row in rows:
        topics.setdefault((row.link, row.topic), []).append(row)
    return [_topic(parts) for parts in topics.values()]


def _topic(parts: Sequence[SeenPartition]) -> dict[str, Any]:
    first = parts[0]
    worst = max(parts, key=lambda p: (is_bad(p.state), STATES.index(p.state)))
    return {
        "link": first.link,
        "topic": first.topic,
        "target_topic": first.target_topic,
        "partitions": len(parts),
        "lag": _sum([p.lag for p in parts]),
        "lag_bytes": _sum([p.lag_bytes for p in parts]),
        "lag_seconds": _most([p.lag_seconds for p in parts]),
        "copied_per_second": _sum([p.copied_per_second for p in parts]),
        "added_per_second": _sum([p.added_per_second for p in parts]),
        "eta_seconds": _most([p.eta_seconds for p in parts]),
        "state": worst.state,
        "processes": len({p.member for p in parts if p.member is not None}),
        "trouble": next((p.trouble for p in parts if p.trouble is not None), None),
    }


def _sum(values: Sequence[Any]) -> Any:
    return None if None in values else round(sum(values), 1)


def _most(values: Sequence[Any]) -> Any:
    return None if None in values else max(values)
