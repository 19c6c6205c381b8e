"""The verdict on a share group (KIP-932) in a partition, by how it was seen over some rounds.

A share group commits nothing: its start offset is the first record that it is not done with, its
lag what its coordinator counts (KIP-1226). Behind the start records may be done, so the start alone
says little: while the lag falls, the group works.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from pykafka_ops.analysis.commits.burrow import (
    LEAST,
    OK,
    REWIND,
    STALL,
    UNKNOWN,
    WARN,
    WINDOW,
    Commit,
    Verdict,
    rewound,
    stalled_since,
)

SPAN_MS: Final = 60_000
"""What was seen over less time says nothing: a member may hold a record for 30 s
(share.record.lock.duration.ms)."""


def judge_shared(seen: Sequence[Commit], lag: int) -> Verdict:
    """The state of a partition whose lag is now ``lag``.

    ``seen``: start offset and lag by time, of which the last ``WINDOW`` count. STALL: the start
    stays and the lag never falls; WARN: the start moves, but all of the later lags are greater
    than all earlier ones.
    """
    recent = [at for at in seen[-WINDOW:] if at.lag is not None]
    if lag <= 0:
        return Verdict(OK, None)
    if len(recent) < LEAST or recent[-1].timestamp - recent[0].timestamp < SPAN_MS:
        return Verdict(UNKNOWN, None)
    dropped = rewound(recent)
    if dropped is not None:
        return Verdict(REWIND, dropped)
    lags = [at.lag for at in recent if at.lag is not None]
    if min(lags) <= 0:
        return Verdict(OK, None)
    if recent[0].offset == recent[-1].offset and all(a <= b for a, b in pairwise(lags)):
        return Verdict(STALL, stalled_since(recent))
    half = len(lags) // 2
    if min(lags[half:]) > max(lags[:half]):
        return Verdict(WARN, recent[0].timestamp)
    return Verdict(OK, None)
