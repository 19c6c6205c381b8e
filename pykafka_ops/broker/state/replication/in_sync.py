"""A leader's view of its followers: who is in sync, their log end offsets, the high watermark.

Counterpart of the leader's half of ``Partition`` and of ``Replica`` (KIP-497 for changes of the
ISR, KIP-966's rule that nothing is committed below ``min.insync.replicas``). Times in monotonic ms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum

from pykafka_ops.broker.state.controller.leadership import intern_replicas
from pykafka_ops.wire.codes import ErrorCode

Alive = Callable[[int], bool]
UNKNOWN = -1
NEVER = float("-inf")


@dataclass(slots=True, eq=False)
class Follower:
    """What the leader knows of one other replica."""

    end: int = UNKNOWN
    """Its log end offset."""
    start: int = UNKNOWN
    """Its log start offset."""
    leader_end: int = UNKNOWN
    """Where the leader's log ended at its last fetch."""
    fetched_at: float = NEVER
    caught_up: float = NEVER
    """The last moment at which it had all that the leader had then."""

    def fetched(self, offset: int, start: int, now: float, leader_end: int) -> None:
        """It asks for what follows ``offset``, so it has all before.

        One that always asks for less than the leader has, but for what the leader had at its
        previous fetch, keeps up: it was caught up at that fetch.
        """
        if offset >= leader_end:
            self.caught_up = max(self.caught_up, now)
        elif offset >= self.leader_end:
            self.caught_up = max(self.caught_up, self.fetched_at)
        self.end, self.start, self.fetched_at = offset, start, now
        self.leader_end = max(self.leader_end, leader_end)

    def was_seen(self, at: float) -> None:
        """It was there at that time, and had all that the leader had."""
        self.caught_up = max(self.caught_up, at)
        self.fetched_at = max(self.fetched_at, at)

    def reset(self, now: float, leader_end: int, *, new_leader: bool, in_sync: bool) -> None:
        """A leader epoch begins; the leader may be new, or the same as before."""
        self.caught_up = now if in_sync else NEVER
        if new_leader:
            self.end = self.start = self.leader_end = UNKNOWN
            self.fetched_at = NEVER
        else:
            self.leader_end = leader_end
            self.fetched_at = now if in_sync else NEVER

    def is_caught_up(self, leader_end: int, now: float, max_lag: int) -> bool:
        """Whether it has everything, or had ``max_lag`` (``replica.lag.time.max.ms``) ago."""
        return leader_end == self.end or now - self.caught_up <= max_lag


@dataclass(frozen=True, slots=True)
class Proposal:
    """A new ISR on its way to the controller (AlterPartition)."""

    isr: tuple[int, ...]
    leader_epoch: int
    partition_epoch: int
    joins: int | None = None
    """Who is to join; None where replicas are to leave."""


class ProposalVerdict(Enum):
    """What follows from the controller's answer to a proposal."""

    CHANGED = "changed"
    """The ISR is what was committed; the high watermark may move."""
    RETRY = "retry"
    """Send the proposal again."""
    WAIT = "wait"
    """The controller will send the state; until then nothing is proposed."""
    DROPPED = "dropped"
    """It was refused, or is of the past; the ISR is what it was."""


_REFUSED = (ErrorCode.OPERATION_NOT_ATTEMPTED, ErrorCode.INELIGIBLE_REPLICA)
_OUT_OF_DATE = (
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.UNKNOWN_TOPIC_ID,
    ErrorCode.FENCED_LEADER_EPOCH,
    ErrorCode.INVALID_UPDATE_VERSION,
    ErrorCode.INVALID_REQUEST,
    ErrorCode.NEW_LEADER_ELECTED,
)


@dataclass(slots=True, eq=False)
class InSync:
    """The followers of a partition that this broker, ``local``, leads.

    ``isr`` is what the controller has committed; ``maximal`` also has a replica that is about to
    join, which only makes committing records stricter.
    """

    local: int
    followers: dict[int, Follower] = field(default_factory=dict)
    isr: tuple[int, ...] = ()
    leader_epoch: int = UNKNOWN
    partition_epoch: int = UNKNOWN
    epoch_start: int = 0
    """The log's end when this leader epoch began."""
    pending: Proposal | None = None

    @property
    def maximal(self) -> tuple[int, ...]:
        """The ISR, and who is about to join it."""
        pending = self.pending
        if pending is None or pending.joins is None:
            return self.isr
        return (*self.isr, pending.joins)

    def lead(
        self,
        replicas: Iterable[int],
        isr: Iterable[int],
        partition_epoch: int,
    ) -> None:
        """Take over assignment and ISR from the controller; whatever was pending is settled."""
        others = [id_ for id_ in replicas if id_ != self.local]
        self.followers = {id_: self.followers.get(id_) or Follower() for id_ in others}
        self.isr = intern_replicas(isr)
        self.partition_epoch = partition_epoch
        self.pending = None

    def begin(self, leader_epoch: int, end: int, now: float, *, new_leader: bool) -> None:
        """A leader epoch begins at the log's ``end``; call after :meth:`lead`."""
        for id_, follower in self.followers.items():
            follower.reset(now, end, new_leader=new_leader, in_sync=id_ in self.isr)
        self.leader_epoch, self.epoch_start = leader_epoch, end

    # -- the high watermark

    def under_min(self, min_isr: int) -> bool:
        """Whether fewer replicas are in sync than ``min.insync.replicas`` (capped at all)."""
        return len(self.isr) < self.effective_min(min_isr)

    def effective_min(self, min_isr: int) -> int:
        """``min.insync.replicas``, as far as there are replicas."""
        return min(min_isr, len(self.followers) + 1)

    def committed(self, end: int, min_isr: int, now: float, max_lag: int, alive: Alive) -> int:
        """Up to where every replica that counts has the log, which ends at ``end`` here.

        -1 while too few are in sync. Replicas that are caught up count although they are not in
        the ISR yet: else the watermark could run away from them and they never join.
        """
        if self.under_min(min_isr):
            return UNKNOWN
        lowest, maximal = end, self.maximal
        for id_, follower in self.followers.items():
            if follower.end < lowest and (
                id_ in maximal or (follower.is_caught_up(end, now, max_lag) and alive(id_))
            ):
                lowest = follower.end
        return lowest

    # -- changes of the ISR

    def expand(self, replica: int, high_watermark: int, alive: Alive) -> Proposal | None:
        """The proposal to let a follower in that has all committed records and has reached this
        leader's epoch; None if it may not join, or something is pending."""
        follower = self.followers.get(replica)
        if (
            self.pending is not None
            or follower is None
            or replica in self.isr
            or follower.end < high_watermark
            or follower.end < self.epoch_start
            or not alive(replica)
        ):
            return None
        return self._propose((*self.isr, replica), replica)

    def shrink(self, end: int, now: float, max_lag: int) -> Proposal | None:
        """The proposal to drop those that are behind for longer than ``max_lag``, if any are."""
        if self.pending is not None:
            return None
        others = (id_ for id_ in self.isr if id_ != self.local)
        late = {id_ for id_ in others if self._is_late(id_, end, now, max_lag)}
        if not late:
            return None
        return self._propose(tuple(id_ for id_ in self.isr if id_ not in late), None)

    def _is_late(self, replica: int, end: int, now: float, max_lag: int) -> bool:
        follower = self.followers.get(replica)
        return follower is None or not follower.is_caught_up(end, now, max_lag)

    def _propose(self, isr: tuple[int, ...], joins: int | None) -> Proposal:
        self.pending = Proposal(
            intern_replicas(isr), self.leader_epoch, self.partition_epoch, joins
        )
        return self.pending

    def answered(
        self,
        proposal: Proposal,
        code: int,
        *,
        isr: Iterable[int] = (),
        leader_epoch: int = UNKNOWN,
        partition_epoch: int = UNKNOWN,
    ) -> ProposalVerdict:
        """The controller's answer: an error, or the state that holds now."""
        if self.pending is not proposal:
            return ProposalVerdict.DROPPED
        if code == ErrorCode.NONE:
            if leader_epoch != self.leader_epoch or partition_epoch < self.partition_epoch:
                return ProposalVerdict.WAIT
            self.isr = intern_replicas(isr)
            self.partition_epoch = partition_epoch
            self.pending = None
            return ProposalVerdict.CHANGED
        if code in _REFUSED:
            self.pending = None
            joins = self.followers.get(-1 if proposal.joins is None else proposal.joins)
            if joins is not None:
                joins.caught_up = NEVER  # it is about to stop: nobody waits for it to join
            return ProposalVerdict.DROPPED
        return ProposalVerdict.WAIT if code in _OUT_OF_DATE else ProposalVerdict.RETRY
