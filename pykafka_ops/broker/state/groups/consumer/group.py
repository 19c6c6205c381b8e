"""A consumer group as its records say it (``ConsumerGroup``): nothing changes but by a record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Final

from pykafka_ops.broker.state.groups.consumer.member import (
    LEFT,
    ConsumerMember,
    Partitions,
    Target,
)
from pykafka_ops.broker.state.groups.consumer.records import (
    CURRENT,
    EPOCH,
    MEMBER,
    REGEX,
    TARGET,
    TARGET_EPOCH,
    TOPICS,
    ConsumerRecord,
    Resolved,
)
from pykafka_ops.broker.state.memory import Account, Holder

NO_TARGET: Final = -1
"""The target epoch of a group that never had one."""
GROUP_BYTES: Final = 2000
"""What a group holds besides its members."""
RESOLVED_BYTES: Final = 60
NOTHING: Final[Target] = {}


class ConsumerGroupState(Enum):
    """The state of a group; the values are what tools show."""

    EMPTY = "Empty"
    ASSIGNING = "Assigning"
    RECONCILING = "Reconciling"
    STABLE = "Stable"


@dataclass(slots=True, eq=False)
class ConsumerGroup:
    """One group. ``epoch`` grows with every change of members or topics; ``target_epoch`` says for
    which of them ``targets`` were made (at ``target_time``, ms). ``owners`` says who has a
    partition or is still to give it up. ``resolved`` is what expressions match, by expression.
    ``fresh_until`` is until when (ms since 1970) topics need no look, if the epoch is still
    ``fresh_for``. ``topics_written`` says that topics are in the log as Kafka 4.0 writes them."""

    id: str
    epoch: int = 0
    topics_hash: int = 0
    target_epoch: int = NO_TARGET
    target_time: int = 0
    members: dict[str, ConsumerMember] = field(default_factory=dict)
    static_members: dict[str, str] = field(default_factory=dict)
    targets: dict[str, Target] = field(default_factory=dict)
    owners: dict[tuple[bytes, int], str] = field(default_factory=dict)
    resolved: dict[str, Resolved] = field(default_factory=dict)
    topics_written: bool = False
    fresh_until: int = 0
    fresh_for: int = 0
    memory: Holder = field(default_factory=lambda: Account().holder())
    _names: Counter[str] = field(default_factory=Counter)
    _last_names: frozenset[str] = frozenset()  # members with the same share one: quick to compare
    _regexes: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.memory.change(GROUP_BYTES + len(self.id))

    # -- what the log says ---------------------------------------------------------------------

    def apply(self, record: ConsumerRecord) -> None:
        """Take over a record of this group; tombstones of what is unknown do nothing."""
        kind, _, name, value = record
        if kind == EPOCH:
            self.epoch, self.topics_hash = (0, 0) if value is None else value
        elif kind == TARGET_EPOCH:
            self.target_epoch, self.target_time = (NO_TARGET, 0) if value is None else value
        elif kind == TOPICS:
            self.topics_written = value is not None
        elif kind == REGEX:
            self._apply_regex(name, value)
        elif kind == TARGET:
            if value is None:
                self.targets.pop(name, None)
            else:
                self.targets[name] = value
        elif kind == MEMBER:
            self._apply_member(name, value)
        else:
            assert kind == CURRENT
            self._apply_current(name, value)

    def _apply_regex(self, regex: str, value: Resolved | None) -> None:
        old = self.resolved.pop(regex, None)
        if old is not None:
            self.memory.change(-RESOLVED_BYTES * (1 + len(old.topics)) - len(regex))
        if value is not None:
            self.memory.change(RESOLVED_BYTES * (1 + len(value.topics)) + len(regex))
            self.resolved[regex] = value

    def _apply_member(self, member_id: str, value: ConsumerMember | None) -> None:
        old = self.members.get(member_id)
        if value is None:
            if old is not None:
                self._put(old, None)
            return
        if old is not None:
            value = replace(
                value,
                epoch=old.epoch,
                previous_epoch=old.previous_epoch,
                state=old.state,
                assigned=old.assigned,
                revoking=old.revoking,
            )
        self._put(old, value)

    def _apply_current(self, member_id: str, value: Any) -> None:
        old = self.members.get(member_id)
        if value is not None:
            before = old or ConsumerMember(id=member_id)
            names = ("epoch", "previous_epoch", "state", "assigned", "revoking")
            self._put(old, replace(before, **dict(zip(names, value, strict=True))))
        elif old is not None:
            self._put(old, replace(old, epoch=LEFT, previous_epoch=LEFT, assigned={}, revoking={}))

    def _put(self, old: ConsumerMember | None, new: ConsumerMember | None) -> None:
        """Replace a member, or take it in or out; all that is counted follows."""
        if old is not None:
            self._forget(old)
        if new is None:
            assert old is not None
            del self.members[old.id]
            return
        if new.names == self._last_names:
            new = replace(new, names=self._last_names)
        self._last_names = new.names
        self.members[new.id] = new
        self.memory.change(new.size)
        self._names.update(new.names)
        if new.regex:
            self._regexes[new.regex] += 1
        if new.instance_id is not None:
            self.static_members[new.instance_id] = new.id
        for place in _places(new):
            self.owners[place] = new.id

    def _forget(self, old: ConsumerMember) -> None:
        self.memory.change(-old.size)
        for counter, names in ((self._names, old.names), (self._regexes, {old.regex} - {"", None})):
            for name in names:
                counter[name or ""] -= 1
                if not counter[name or ""]:
                    del counter[name or ""]
        if old.instance_id is not None and self.static_members.get(old.instance_id) == old.id:
            del self.static_members[old.instance_id]
        for place in _places(old):
            if self.owners.get(place) == old.id:
                del self.owners[place]

    # -- what follows from it ------------------------------------------------------------------

    @property
    def state(self) -> ConsumerGroupState:
        """``maybeUpdateGroupState``."""
        if not self.members:
            return ConsumerGroupState.EMPTY
        if self.epoch > self.target_epoch:
            return ConsumerGroupState.ASSIGNING
        if all(each.is_reconciled_to(self.target_epoch) for each in self.members.values()):
            return ConsumerGroupState.STABLE
        return ConsumerGroupState.RECONCILING

    def static_member(self, instance_id: str | None) -> ConsumerMember | None:
        """The member that holds a static name."""
        found = None if instance_id is None else self.static_members.get(instance_id)
        return None if found is None else self.members.get(found)

    def subscribers(self, regex: str) -> int:
        """How many members use an expression."""
        return self._regexes.get(regex, 0)

    @property
    def regexes(self) -> Iterable[str]:
        """The expressions that members use."""
        return self._regexes.keys()

    def reads(self, topic: str) -> bool:
        """Whether a member subscribes to a topic."""
        return topic in self._names or any(topic in each.topics for each in self.resolved.values())

    def topics_of(self, member: ConsumerMember) -> frozenset[str]:
        """The topics that a member subscribes to, by name or by what its expression matches."""
        found = self.resolved.get(member.regex) if member.regex else None
        if found is None:
            return member.names
        return member.names | found.topics if member.names else found.topics

    def subscribed(self, members: Iterable[ConsumerMember]) -> set[str]:
        """The topics that these members would subscribe to."""
        return set().union(*set(map(self.topics_of, members)))

    def members_with(
        self, new: ConsumerMember, gone: str | None = None
    ) -> Iterator[ConsumerMember]:
        """The members as they will be: with ``new``, without ``gone``, in their order."""
        if gone is not None and gone == new.id:
            gone = None
        for id_, each in self.members.items():
            if id_ == gone:
                yield new
            elif id_ != new.id:
                yield each
            else:
                yield new
        if new.id not in self.members and (gone is None or gone not in self.members):
            yield new

    def target_of(self, member: ConsumerMember) -> Target:
        """What a member is to have; a static one that is back takes over from its former self."""
        if member.instance_id is None:
            return self.targets.get(member.id, NOTHING)
        holder = self.static_members.get(member.instance_id)
        return NOTHING if holder is None else self.targets.get(holder, NOTHING)

    def assignor(self, members: Iterable[ConsumerMember], default: str) -> str:
        """The assignor that most of these members ask for."""
        votes = Counter(each.assignor for each in members if each.assignor is not None)
        return str(votes.most_common(1)[0][0]) if votes else default

    @property
    def classic_members(self) -> list[ConsumerMember]:
        """Those that use the classic protocol."""
        return [each for each in self.members.values() if each.classic is not None]

    def is_waiting_for_others(self, member: ConsumerMember) -> bool:
        """Whether a partition of its target is still somebody else's."""
        return any(
            owner is not None and owner != member.id
            for topic_id, indexes in self.target_of(member).items()
            for index in indexes - member.assigned.get(topic_id, {}).keys()
            for owner in (self.owners.get((topic_id, index)),)
        )


def _places(member: ConsumerMember) -> Iterator[tuple[bytes, int]]:
    for partitions in (member.assigned, member.revoking):
        for topic_id, indexes in partitions.items():
            for index in indexes:
                yield topic_id, index


def has_same(left: Partitions, right: Partitions) -> bool:
    """Whether these are the same partitions, whenever they were assigned."""
    return left.keys() == right.keys() and all(
        left[topic_id].keys() == right[topic_id].keys() for topic_id in left
    )
