"""Burrow's verdicts, exactly: source core/internal/evaluator/caching.go. Pure; times in ms."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from pykafka_ops.analysis.commits.burrow import WINDOW, Commit

NOTFOUND, OK, WARN, ERR, STOP, STALL, REWIND = range(7)
NAMES: Final = ("NOTFOUND", "OK", "WARN", "ERR", "STOP", "STALL", "REWIND")


class PartitionFound(NamedTuple):
    """What is known of a partition of a group: ``commits`` in order, ``lag`` now, who reads it, and
    the last ends of the log, oldest first."""

    topic: str
    partition: int
    commits: Sequence[Commit]
    lag: int
    owner: str
    client_id: str
    ends: Sequence[int]

    @property
    def complete(self) -> float:
        """How much of the window is there, 0 to 1."""
        return len(self.commits) / WINDOW


def partition_status(found: PartitionFound, now: int) -> int:
    """The status of a partition; only one that is behind can be anything but OK."""
    commits = found.commits
    if not commits or found.lag <= 0:
        return OK
    first, last = commits[0], commits[-1]
    caught_up = any(end <= last.offset for end in found.ends)
    if now - last.timestamp > last.timestamp - first.timestamp and not caught_up:
        return STOP
    if _is_rewound(commits):
        return REWIND
    if any(c.lag is not None and c.lag <= 0 for c in commits):
        return OK
    if all(c.offset == first.offset for c in commits):
        return STALL
    lags = [c.lag for c in commits if c.lag is not None]
    return WARN if all(a <= b for a, b in pairwise(lags)) else OK


def _is_rewound(commits: Sequence[Commit]) -> bool:
    """Whether the offset drops somewhere and what follows does not come to where it was."""
    for i, (before, after) in enumerate(pairwise(commits)):
        if after.offset < before.offset:
            return all(c.offset < before.offset for c in commits[i + 1 :])
    return False


def group_status(statuses: Sequence[int]) -> int:
    """The worst of the partitions; of a group STOP, STALL and REWIND are ERR."""
    worst = max(statuses, default=OK)
    return ERR if worst > ERR else worst
