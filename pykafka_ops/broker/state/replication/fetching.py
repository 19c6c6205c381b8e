"""The rules of a follower for each answer of its leader, without logs and sockets.

Counterpart of ``AbstractFetcherThread``, for inter-broker protocols that truncate on fetch (2.7
and newer): a follower says which epoch it fetched last, and a leader whose history differs
answers with where the two part. OffsetForLeaderEpoch is not needed for that. Times in ms.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from enum import Enum
from typing import NamedTuple

from pykafka_ops.wire.codes import ErrorCode

UNKNOWN = -1

PASSING = (
    ErrorCode.UNKNOWN_LEADER_EPOCH,
    ErrorCode.NOT_LEADER_OR_FOLLOWER,
    ErrorCode.UNKNOWN_TOPIC_ID,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
)
FIRST_DELAY_MS = 25.0

Key = tuple[str, int]


class Phase(Enum):
    """What a follower does with a partition."""

    FETCHING = "fetching"
    TRUNCATING = "truncating"
    """Its log knows no epochs: it is first cut to the high watermark."""


@dataclass(slots=True, eq=False)
class FollowState:
    """How far a follower is with one partition.

    ``offset`` is where it reads on, ``last_epoch`` the epoch of what it fetched last (-1: none),
    ``lag`` how many offsets it is behind what is committed (-1: not known yet).
    """

    key: Key
    topic_id: bytes
    leader_epoch: int
    _: KW_ONLY
    offset: int
    last_epoch: int
    lag: int = UNKNOWN
    phase: Phase = field(init=False)
    ready_at: float = 0.0
    """Not asked for before this time, after an error."""
    errors: int = 0
    """Errors in a row."""

    def __post_init__(self) -> None:
        self.phase = Phase.FETCHING if self.last_epoch >= 0 else Phase.TRUNCATING

    @property
    def in_sync(self) -> bool:
        """Whether it had all that is committed at its last answer; throttles spare it then."""
        return 0 <= self.lag <= 0

    def is_ready(self, now: float) -> bool:
        """Whether to ask for it."""
        return self.phase is Phase.FETCHING and self.ready_at <= now

    def delay(self, until: float, now: float) -> None:
        """Fetch it again only after a delay; one that waits already waits no longer for that."""
        if self.ready_at <= now:
            self.ready_at = until

    def truncated(self, cut: Truncation, last_epoch: int) -> None:
        """Its log was cut; it fetches on from there."""
        self.offset, self.last_epoch = cut.offset, last_epoch
        self.phase = Phase.FETCHING

    def appended(self, next_offset: int, last_epoch: int, committed: int) -> None:
        """Its log has grown to ``next_offset``; the leader has ``committed``."""
        self.offset, self.last_epoch = next_offset, last_epoch
        self.lag = max(0, committed - next_offset)


class Asked(NamedTuple):
    """What a Fetch said of a partition: the answer counts only as long as that still holds."""

    offset: int
    leader_epoch: int


class FetchVerdict(Enum):
    """What follows from the answer for one partition."""

    STALE = "stale"
    """Nothing: the follower has moved on since it asked."""
    TAKE = "take"
    """Append the records, take over high watermark and log start."""
    TRUNCATE = "truncate"
    """The histories differ: see :func:`truncation`."""
    RESET = "reset"
    """Ask where the leader's log ends and starts: see :func:`after_end`, :func:`after_start`."""
    WAIT = "wait"
    """Ask again after ``replica.fetch.backoff.ms``."""
    FAILED = "failed"
    """The leader has a newer epoch than we know: wait for the controller's order."""


def judge(
    state: FollowState | None, asked: Asked, code: int, *, diverging: bool, now: float
) -> FetchVerdict:
    """What to do about an answer; ``state`` is how the partition stands now, None if gone."""
    if (
        state is None
        or state.offset != asked.offset
        or state.leader_epoch != asked.leader_epoch
        or not state.is_ready(now)
    ):
        return FetchVerdict.STALE
    if code == ErrorCode.NONE:
        return FetchVerdict.TRUNCATE if diverging else FetchVerdict.TAKE
    if code == ErrorCode.OFFSET_OUT_OF_RANGE:
        return FetchVerdict.RESET
    if code == ErrorCode.FENCED_LEADER_EPOCH:
        return FetchVerdict.FAILED
    return FetchVerdict.WAIT


def delay_after(code: int, errors: int, backoff: int) -> float:
    """The delay (ms) before a partition's next fetch after an error and ``errors`` before it in a
    row: ``replica.fetch.backoff.ms``, shorter at first for errors that end once the controller's
    orders have reached all brokers."""
    if code in PASSING:
        return min(backoff, FIRST_DELAY_MS * 2.0 ** min(errors, 20))
    return backoff


class Truncation(NamedTuple):
    """Where to cut the log; unless ``complete``, the leader must be asked again after it.

    With truncation on fetch that happens by itself: the next Fetch tells the leader the epoch.
    """

    offset: int
    complete: bool


def truncation(
    leader_epoch: int, leader_end: int, *, own: tuple[int, int], own_end: int, fallback: int
) -> Truncation:
    """Where to cut a log that ends at ``own_end``.

    The leader said that its epoch ``leader_epoch`` ends at ``leader_end``; ``own`` is what our
    log has for that: the largest epoch up to it and its end, -1 where not known. ``fallback`` is
    the present offset (``getOffsetTruncationState``; KIP-101, KIP-279).
    """
    if leader_end == UNKNOWN:
        return Truncation(fallback, complete=True)
    epoch, end = own
    if leader_epoch == UNKNOWN or end == UNKNOWN:
        return Truncation(min(leader_end, own_end), complete=True)
    if epoch != leader_epoch:
        return Truncation(min(end, own_end), complete=False)
    return Truncation(min(end, leader_end, own_end), complete=True)


def after_end(leader_end: int, own_end: int) -> Truncation | None:
    """Out of range, and the leader's log ends at ``leader_end``: where to cut ours.

    It is shorter than ours only after an unclean election. None if it is not: then its start
    decides (``fetchOffsetAndTruncate``).
    """
    return Truncation(leader_end, complete=True) if leader_end < own_end else None


class Restart(NamedTuple):
    """Fetch on from ``offset``; with ``empty`` what the log holds is too old and goes."""

    offset: int
    empty: bool


def after_start(leader_start: int, own_end: int) -> Restart:
    """Out of range, and the leader's log starts at ``leader_start``."""
    return Restart(max(leader_start, own_end), leader_start > own_end)
