"""Columns that several pages have."""

from __future__ import annotations

from typing import Final

from pykafka_ops.analysis.commits.burrow import OK, UNKNOWN, WARN
from pykafka_ops.analysis.lag.rows import STATUSES
from pykafka_ops.monitor.cluster.view import NEVER, WatchedGroup
from pykafka_ops.monitor.wording import line
from pykafka_ops.monitor.wording.text import rate, span, whole
from pykafka_ops.top.table import TopColumn

_GOOD: Final = frozenset(["ok", "up", "in sync", OK])
_WARN: Final = frozenset([UNKNOWN, WARN, "at min ISR", "not preferred", "silent", "behind"])


def tone(value: object) -> str:
    """The colour of a state; the word says the same."""
    if value in _GOOD:
        return line.GOOD
    return line.WARN if value in _WARN or value is None else line.BAD


def lost_in(value: object) -> str:
    """Until retention takes what is not read: ``never``, ``now``, a span."""
    if value == NEVER:
        return NEVER
    return "now" if value == 0 else span(value)


def _soonest(value: object) -> object:
    return float("inf") if value == NEVER else value


def _badness(value: object) -> object:
    return STATUSES.index(str(value)) if value in STATUSES else -1


def loss_of(group: WatchedGroup) -> object:
    """Seconds, NEVER, or None."""
    return group.loss if group.loss is not None else group.loss_in_seconds


LAG: Final = TopColumn("lag", "LAG", 9, right=True, text=whole)
BEHIND: Final = TopColumn("lag_seconds", "BEHIND", 7, right=True, text=span)
ETA: Final = TopColumn("catch_up_seconds", "ETA", 7, right=True, rank=2, text=span)
LOST_IN: Final = TopColumn("loss", "LOST-IN", 7, right=True, rank=1, text=lost_in, order=_soonest)
RATE_IN: Final = TopColumn("rate_in", "IN/S", 7, right=True, rank=4, text=rate)
RATE_OUT: Final = TopColumn("rate_out", "OUT/S", 7, right=True, rank=5, text=rate)
STATUS: Final = TopColumn("status", "STATUS", 7, tone=tone, order=_badness)
PARTITION: Final = TopColumn("partition", "PART", 5, right=True)
