"""A classic group: its members, state, protocols and generation (``GroupMetadata``).

Holds values and the rules that need nothing else; what requests do with a group stands in
``join.py``, ``members.py`` and ``offsets.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, field
from enum import Enum

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.state.memory import Account, Holder
from pykafka_ops.broker.state.timers import Timer
from pykafka_ops.disk.internal import read_subscription
from pykafka_ops.errors import CorruptError
from pykafka_ops.wire.codes import ErrorCode

CONSUMER = "consumer"
"""The protocol type of consumers (``ConsumerProtocol.PROTOCOL_TYPE``)."""
NO_GENERATION = -1
NO_TIMESTAMP = -1
GROUP_BYTES = 1000
"""What a group holds besides its names and its members."""
MEMBER_BYTES = 1000
"""What a member holds besides what it sent."""


class GroupState(Enum):
    """The state of a group; the values are what DescribeGroups answers."""

    EMPTY = "Empty"
    PREPARING = "PreparingRebalance"
    COMPLETING = "CompletingRebalance"
    STABLE = "Stable"
    DEAD = "Dead"


TRANSITIONS: dict[GroupState, frozenset[GroupState]] = {
    GroupState.EMPTY: frozenset({GroupState.PREPARING, GroupState.DEAD}),
    GroupState.PREPARING: frozenset({GroupState.COMPLETING, GroupState.EMPTY, GroupState.DEAD}),
    GroupState.COMPLETING: frozenset({GroupState.PREPARING, GroupState.STABLE, GroupState.DEAD}),
    GroupState.STABLE: frozenset({GroupState.PREPARING, GroupState.DEAD}),
    GroupState.DEAD: frozenset({GroupState.EMPTY}),
}
"""Where each state may lead; DEAD goes back to EMPTY when the tombstones could not be written."""


Protocols = tuple[tuple[str, bytes], ...]
"""Names of assignors with the member's metadata for each, most liked first."""


@dataclass(slots=True, eq=False)
class Member:
    """A member. ``join`` and ``sync`` are its waiting requests; timeouts in ms; ``deadline`` is
    by when its next sign of life is due (monotonic ms)."""

    id: str
    _: KW_ONLY
    instance_id: str | None
    client_id: str
    client_host: str
    rebalance_timeout: int
    session_timeout: int
    protocols: Protocols
    assignment: bytes = b""
    join: Deferred | None = None
    sync: Deferred | None = None
    is_new: bool = False
    gone: bool = False
    deadline: float = 0.0
    timer: Timer | None = None
    counted: int = 0

    @property
    def size(self) -> int:
        """Bytes it holds."""
        sent = protocols_size(self.protocols) + len(self.assignment) + len(self.id)
        return MEMBER_BYTES + sent + len(self.instance_id or "") + len(self.client_id)

    def metadata(self, protocol: str | None) -> bytes:
        """Its metadata for ``protocol``; empty if it has none."""
        for name, data in self.protocols:
            if name == protocol:
                return data
        return b""

    def vote(self, candidates: set[str]) -> str:
        """Its first choice among the protocols that all members support."""
        return next(name for name, _ in self.protocols if name in candidates)


def protocols_size(protocols: Protocols) -> int:
    """Bytes of what a member says about itself."""
    return sum(len(name) + len(data) for name, data in protocols)


@dataclass(slots=True, eq=False)
class Group:
    """One group. Times in ms since 1970; ``leader`` and ``protocol`` are None without members.
    ``memory`` counts what it and its members hold."""

    id: str
    state_time: int = NO_TIMESTAMP
    state: GroupState = GroupState.EMPTY
    generation: int = 0
    protocol_type: str | None = None
    protocol: str | None = None
    leader: str | None = None
    members: dict[str, Member] = field(default_factory=dict)
    static_members: dict[str, str] = field(default_factory=dict)
    pending_members: dict[str, Timer] = field(default_factory=dict)
    pending_sync: set[str] = field(default_factory=set)
    subscribed: frozenset[str] | None = None
    awaiting_join: int = 0
    member_added: bool = False
    join_timer: Timer | None = None
    initial_left: float | None = None
    sync_timer: Timer | None = None
    memory: Holder = field(default_factory=lambda: Account().holder())
    supported: dict[str, int] = field(default_factory=dict)
    """How many members support a protocol, by its name."""

    def __post_init__(self) -> None:
        self.memory.change(GROUP_BYTES + len(self.id))

    # -- state ---------------------------------------------------------------------------------

    def move(self, state: GroupState, now: int) -> None:
        """Change the state; a transition that Kafka does not have is a bug."""
        if state not in TRANSITIONS[self.state]:
            raise RuntimeError(f"group {self.id}: {self.state.value} -> {state.value}")
        self.state = state
        self.state_time = now

    @property
    def rebalance_timeout(self) -> int:
        """The longest any member asks for (ms)."""
        return max((m.rebalance_timeout for m in self.members.values()), default=0)

    @property
    def all_joined(self) -> bool:
        """Whether all members have joined the rebalance."""
        return len(self.members) == self.awaiting_join and not self.pending_members

    @property
    def is_consumer(self) -> bool:
        """Whether its members are consumers."""
        return self.protocol_type == CONSUMER

    def reads(self, topic: str) -> bool:
        """Whether a member subscribes to ``topic``; yes where that is not known."""
        return self.subscribed is None or topic in self.subscribed

    # -- members -------------------------------------------------------------------------------

    def add(self, member: Member, join: Deferred | None) -> None:
        """Take a member in; the first one leads."""
        if member.instance_id is not None:
            self.static_members[member.instance_id] = member.id
        if self.leader is None:
            self.leader = member.id
        self.members[member.id] = member
        self._count(member, 1)
        self.weigh(member)
        self.set_join(member, join)
        self.forget_pending(member.id)

    def remove(self, member: Member) -> None:
        """Take a member out; another one leads if it did."""
        self.members.pop(member.id, None)
        self._count(member, -1)
        self.set_join(member, None)
        if member.instance_id is not None:
            self.static_members.pop(member.instance_id, None)
        if self.leader == member.id:
            self.leader = next(iter(self.members), None)
        self.pending_sync.discard(member.id)
        member.gone = True
        self.weigh(member)
        if member.timer is not None:
            member.timer.cancel()
            member.timer = None

    def weigh(self, member: Member) -> None:
        """A member holds more now, or less."""
        size = 0 if member.gone else member.size
        self.memory.change(size - member.counted)
        member.counted = size

    def assign(self, member: Member, assignment: bytes) -> None:
        """Give a member what its leader has for it."""
        more = len(assignment) - len(member.assignment)
        member.assignment = assignment
        if more:
            member.counted += more
            self.memory.change(more)

    def await_pending(self, member_id: str, timer: Timer) -> None:
        """Keep an id that was given out until ``timer`` is over."""
        self.memory.change(MEMBER_BYTES + len(member_id))
        self.pending_members[member_id] = timer

    def forget_pending(self, member_id: str) -> bool:
        """Drop an id that was given out and never used; whether there was one."""
        timer = self.pending_members.pop(member_id, None)
        if timer is not None:
            timer.cancel()
            self.memory.change(-MEMBER_BYTES - len(member_id))
        return timer is not None

    def rename(self, member: Member, member_id: str) -> None:
        """Give a static member a new id; its place in the order of members stays."""
        old = member.id
        self.members = {
            (member_id if id_ == old else id_): each for id_, each in self.members.items()
        }
        member.id = member_id
        if self.leader == old:
            self.leader = member_id
        if member.instance_id is not None:
            self.static_members[member.instance_id] = member_id
        if old in self.pending_sync:
            self.pending_sync.discard(old)
            self.pending_sync.add(member_id)
        self.weigh(member)

    def set_join(self, member: Member, join: Deferred | None) -> None:
        """Replace the JoinGroup a member waits with."""
        self.awaiting_join += (join is not None) - (member.join is not None)
        member.join = join

    def set_protocols(self, member: Member, protocols: Protocols) -> None:
        """Replace what a member supports."""
        if protocols == member.protocols:
            return
        self._count(member, -1)
        member.protocols = protocols
        self._count(member, 1)
        self.weigh(member)

    def check_member(self, member_id: str, instance_id: str | None) -> ErrorCode:
        """NONE if this is a member, and the one that holds the static name."""
        if instance_id is not None:
            holder = self.static_members.get(instance_id)
            if holder is None:
                return ErrorCode.UNKNOWN_MEMBER_ID
            if holder != member_id:
                return ErrorCode.FENCED_INSTANCE_ID
        return ErrorCode.NONE if member_id in self.members else ErrorCode.UNKNOWN_MEMBER_ID

    # -- protocols -----------------------------------------------------------------------------

    def _count(self, member: Member, by: int) -> None:
        for name in {name for name, _ in member.protocols}:
            self.supported[name] = self.supported.get(name, 0) + by
            if not self.supported[name]:
                del self.supported[name]

    def supports(self, protocol_type: str, protocols: Protocols) -> bool:
        """Whether a member with these protocols fits in."""
        if self.state is GroupState.EMPTY:
            return bool(protocol_type) and bool(protocols)
        if self.protocol_type != protocol_type:
            return False
        supported, count = self.supported, len(self.members)
        return any(supported.get(name, 0) == count for name, _ in protocols)

    def elect_protocol(self) -> str:
        """The protocol with the most votes among those all members support; of equals the one
        voted for first."""
        count = len(self.members)
        candidates = {name for name, n in self.supported.items() if n == count}
        if len(candidates) == 1:
            return candidates.pop()
        votes: dict[str, int] = {}
        for member in self.members.values():
            choice = member.vote(candidates)
            votes[choice] = votes.get(choice, 0) + 1
        return max(votes, key=lambda name: votes[name])

    def elect_leader(self) -> bool:
        """Keep a leader that has joined, else take a member that has; False if there is none."""
        if self.leader is None:
            return False
        if self.members[self.leader].join is not None:
            return True
        found = next((m.id for m in self.members.values() if m.join is not None), None)
        if found is not None:
            self.leader = found
        return found is not None

    def next_generation(self, now: int) -> None:
        """Begin the next generation with the members there are."""
        self.generation += 1
        self.pending_sync.clear()
        self.protocol = self.elect_protocol() if self.members else None
        self.refresh_subscriptions()
        self.move(GroupState.COMPLETING if self.members else GroupState.EMPTY, now)

    def refresh_subscriptions(self) -> None:
        """Read from the members' metadata which topics they subscribe to, if they are consumers."""
        self.subscribed = None
        if self.protocol_type != CONSUMER:
            return
        try:
            self.subscribed = frozenset(self._topics())
        except CorruptError:
            return

    def _topics(self) -> Iterator[str]:
        protocol = self.protocol
        for metadata in {member.metadata(protocol) for member in self.members.values()}:
            yield from subscription_topics(metadata)


def subscription_topics(metadata: bytes) -> tuple[str, ...]:
    """The topics in a consumer's metadata; CorruptError on damage."""
    if len(metadata) > SMALL:
        return tuple(read_subscription(metadata)[1].topics)
    found = _KNOWN.get(metadata)
    if found is None:
        found = tuple(read_subscription(metadata)[1].topics)
        if len(_KNOWN) < KNOWN:
            _KNOWN[metadata] = found
    return found


SMALL = 256
KNOWN = 1024
_KNOWN: dict[bytes, tuple[str, ...]] = {}
"""Read before: thousands of members send the same few bytes."""
