"""A place in the group of a link, at the target: joined, kept alive by a thread, left.

Counterpart of ConsumerCoordinator and AbstractCoordinator, the classic protocol. Who loses its
place in the group can commit nothing more: transactions and commits carry generation and member id
(KIP-447), so that two processes never copy one partition at a time.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pykafka_ops.client.answers import raise_error
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.connection import UnsupportedVersionError
from pykafka_ops.client.coordinators import ask_coordinator
from pykafka_ops.client.leaders import Partition
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.mirror.work.protocol import (
    KIND,
    NAME,
    MemberSaid,
    Share,
    read_share_bytes,
    read_subscription_bytes,
    share_bytes,
    subscription_bytes,
)
from pykafka_ops.mirror.work.sharing import numbered, shared
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import heartbeat as hb
from pykafka_ops.wire.messages import join_group as jg
from pykafka_ops.wire.messages import leave_group as lg
from pykafka_ops.wire.messages import sync_group as sg

SESSION_MS: Final = 10_000
"""How long a process may be silent before its partitions go to others."""
REBALANCE_MS: Final = 20_000
"""How long the others wait for one that ends its round."""
BEAT_SECONDS: Final = 1.0
JOINS: Final = 20
LEAVE_SECONDS: Final = 2.0
"""How long a coordinator that does not answer is told of it."""
_GONE: Final = (
    ErrorCode.UNKNOWN_MEMBER_ID,
    ErrorCode.ILLEGAL_GENERATION,
    ErrorCode.FENCED_INSTANCE_ID,
)
Members = Mapping[str, MemberSaid]
Fence = Callable[[Sequence[int], Collection[int]], None]


class Seat(NamedTuple):
    """What a process is in one generation of the group. ``slot`` numbers the members from 0:
    transactional ids end in it, so that few are ever used."""

    group: str
    member_id: str
    generation: int
    slot: int


class Seated(NamedTuple):
    """The outcome of joining: the place, the partitions of the target to copy into, whether this
    member is the leader, and how many members there are (0: only the leader knows)."""

    seat: Seat
    partitions: tuple[Partition, ...]
    leads: bool
    members: int


class GroupPlace:
    """One process in the group of a link. Not for several threads, apart from ``must_join``.

    ``clusters`` makes connections to the target: the thread that beats has its own.
    """

    def __init__(self, group: str, clusters: Callable[[], Cluster]) -> None:
        self.group = group
        self._cluster, self._clusters = clusters(), clusters
        self._member, self._slot, self._slots = "", -1, 0
        self._owned: tuple[Partition, ...] = ()
        self._beats: _Beats | None = None

    @property
    def must_join(self) -> bool:
        """Whether the place was never taken, is lost, or is to be shared out anew."""
        return self._beats is None or self._beats.ended.is_set()

    def join(
        self,
        partitions: Sequence[Partition],
        rates: Mapping[Partition, float],
        fence: Fence,
    ) -> Seated:
        """Take part in a new generation. Raises PkoError.

        ``partitions``: all that there is to copy into, which the leader shares out by ``rates``
        (bytes a second of this member's). ``fence`` is called in the leader with the slots that
        nobody has any more and those that are in use, before anybody goes on.
        """
        self._stop_beats()
        for _ in range(JOINS):
            try:
                return self._join(partitions, rates, fence)
            except KafkaError as error:
                if error.code in _GONE:
                    self._member, self._owned = "", ()
                elif error.code == ErrorCode.MEMBER_ID_REQUIRED:
                    continue
                elif error.code != ErrorCode.REBALANCE_IN_PROGRESS:
                    raise
        raise PkoError(f"group {self.group} does not settle: members come and go all the time")

    def lose(self) -> None:
        """Somebody else says that the place is lost: it is to be taken again."""
        self._stop_beats()

    def leave(self) -> None:
        """Give the place up at once, so that others need not wait. Nothing is raised: who cannot
        be told will see that nobody beats."""
        self._stop_beats()
        if self._member:
            with contextlib.suppress(PkoError):
                self._tell_leave()
            self._member, self._owned = "", ()
        self._cluster.close()

    def _tell_leave(self) -> None:
        """From version 3 on members are a list."""
        config = self._cluster.config
        config.api_timeout = config.patience = LEAVE_SECONDS
        one = lg.MemberIdentity(member_id=self._member)
        request = lg.LeaveGroupRequest(group_id=self.group, members=[one])
        try:
            ask_coordinator(self._cluster, self.group, request, lg.LeaveGroupResponse, lowest=3)
        except UnsupportedVersionError:
            old = lg.LeaveGroupRequest(group_id=self.group, member_id=self._member)
            ask_coordinator(self._cluster, self.group, old, lg.LeaveGroupResponse, highest=2)

    def _join(
        self,
        partitions: Sequence[Partition],
        rates: Mapping[Partition, float],
        fence: Fence,
    ) -> Seated:
        topics = tuple(sorted({topic for topic, _ in partitions}))
        said = MemberSaid(topics, self._owned, rates, self._slot, self._slots)
        request = jg.JoinGroupRequest(
            group_id=self.group,
            session_timeout_ms=SESSION_MS,
            rebalance_timeout_ms=REBALANCE_MS,
            member_id=self._member,
            protocol_type=KIND,
            protocols=[jg.JoinGroupRequestProtocol(name=NAME, metadata=subscription_bytes(said))],
        )
        answer = ask_coordinator(self._cluster, self.group, request, jg.JoinGroupResponse)
        self._member = answer.member_id or self._member
        raise_error(answer)
        leads = answer.leader == self._member
        members: dict[str, MemberSaid] = {}
        if leads:
            members = {
                m.member_id: read_subscription_bytes(bytes(m.metadata)) for m in answer.members
            }
        shares = share_out(members, partitions) if leads else {}
        if leads:
            fence(unused_slots(members, shares), {share.slot for share in shares.values()})
        share = self._sync(answer.generation_id, shares)
        self._slot, self._slots, self._owned = share.slot, share.slots, share.partitions
        seat = Seat(self.group, self._member, answer.generation_id, share.slot)
        self._beats = _Beats(seat, self._clusters)
        return Seated(seat, share.partitions, leads, len(members))

    def _sync(self, generation: int, shares: Mapping[str, Share]) -> Share:
        request = sg.SyncGroupRequest(
            group_id=self.group,
            generation_id=generation,
            member_id=self._member,
            protocol_type=KIND,
            protocol_name=NAME,
            assignments=[
                sg.SyncGroupRequestAssignment(member_id=member, assignment=share_bytes(share))
                for member, share in shares.items()
            ],
        )
        answer = ask_coordinator(self._cluster, self.group, request, sg.SyncGroupResponse)
        raise_error(answer)
        share = read_share_bytes(bytes(answer.assignment))
        if share.slot < 0:
            raise PkoError(f"the leader of group {self.group} is no mirror: use another name")
        return share

    def _stop_beats(self) -> None:
        if self._beats is not None:
            self._beats.stop()
            self._beats = None


def share_out(members: Members, partitions: Sequence[Partition]) -> dict[str, Share]:
    """What the leader gives each member. Pure."""
    names = sorted(members)
    rates: dict[Partition, float] = {}
    for said in members.values():
        rates.update(said.rates)
    parts = shared(partitions, names, {m: members[m].owned for m in names}, rates)
    slots = numbered(names, {m: members[m].slot for m in names})
    count = max(slots.values(), default=-1) + 1
    return {m: Share(tuple(parts[m]), slots[m], count) for m in names}


def unused_slots(members: Members, shares: Mapping[str, Share]) -> list[int]:
    """Slots of members that are gone, whose transactions may still be open. Pure."""
    known = max((max(said.slots, said.slot + 1) for said in members.values()), default=0)
    used = {share.slot for share in shares.values()}
    return [slot for slot in range(known) if slot not in used]


class _Beats:
    """Tells the coordinator again and again that the member lives; ``ended`` is set once the member
    has to join again."""

    def __init__(self, seat: Seat, clusters: Callable[[], Cluster]) -> None:
        self.ended = threading.Event()
        self._stopped = threading.Event()
        self._seat, self._clusters = seat, clusters
        self._thread = threading.Thread(target=self._run, name="mirror-beats", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        cluster = self._clusters()
        cluster.config.api_timeout = cluster.config.patience = SESSION_MS / 1000
        heard = time.monotonic()
        try:
            while not self._stopped.wait(BEAT_SECONDS):
                try:
                    code = self._beat(cluster)
                except PkoError:
                    code = None
                if code == ErrorCode.NONE:
                    heard = time.monotonic()
                elif code is not None or time.monotonic() - heard > SESSION_MS / 1000:
                    self.ended.set()
                    return
        finally:
            cluster.close()

    def _beat(self, cluster: Cluster) -> int:
        seat = self._seat
        request: Any = hb.HeartbeatRequest(
            group_id=seat.group, generation_id=seat.generation, member_id=seat.member_id
        )
        answer = ask_coordinator(cluster, seat.group, request, hb.HeartbeatResponse)
        return int(answer.error_code)
