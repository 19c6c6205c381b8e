"""A mirror link as a page, an alert or a metric wants it: one row, its topics below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pykafka_ops.mirror.report.rows import BEHIND, IDLE, LOST, NEW, OK, PAUSED, STOPPED, UNKNOWN

PKO, MM2 = "pko", "mm2"
KINDS: Final = (PKO, MM2)
"""Whose link it is: a ``pko mirror``, MirrorMaker 2."""
STALLED: Final = "stalled"
"""Somebody has the link, it is behind, and its position stands."""
LINK_STATES: Final = (OK, BEHIND, PAUSED, UNKNOWN, NEW, STALLED, STOPPED, IDLE, LOST)
"""The worst last."""
BROKEN: Final = (STALLED, STOPPED, IDLE, LOST)
"""States that somebody has to do something about."""


@dataclass(frozen=True, slots=True)
class MirrorLink:
    """A link into a cluster. Aliases are the mirror's own; ``source_cluster`` is the watched
    cluster that it copies from, None: none of them. None: not known.

    ``counts`` are partitions by state; ``stalled_seconds`` since when the position of the one that
    stands longest has not moved; ``heartbeat_seconds`` the age of MirrorMaker 2's last heartbeat;
    ``worst`` the partition that is worst off; ``members`` who copies; ``topics`` rows as ``pko
    mirror status`` has them, the worst first; ``since`` (ms): its state.
    """

    name: str
    kind: str
    source: str
    target: str
    source_cluster: str | None
    state: str
    since: int
    partitions: int
    counts: Mapping[str, int]
    lag: int | None
    lag_bytes: int | None
    lag_seconds: float | None
    copied_per_second: float | None
    added_per_second: float | None
    eta_seconds: float | None
    stalled_seconds: float | None
    heartbeat_seconds: float | None
    processes: int | None
    members: Sequence[str]
    worst: str | None
    topics: Sequence[Mapping[str, Any]]
    pauses: Sequence[str] = ()
    troubles: Sequence[str] = ()
