"""The offsets of one group: committed, pending in transactions, expired (``GroupMetadata``)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from pykafka_ops.broker.state.groups.group import Group, GroupState
from pykafka_ops.broker.state.groups.records import NEVER, OffsetAndMetadata
from pykafka_ops.broker.state.memory import Account, Holder
from pykafka_ops.wire.codes import ErrorCode

TopicPartition = tuple[str, int]
NO_OFFSET = OffsetAndMetadata(-1)
OFFSET_BYTES = 300
"""What an offset holds besides its metadata."""


@dataclass(slots=True, eq=False)
class GroupOffsets:
    """What a group has committed. ``pending`` counts commits that are being written,
    ``transactions`` holds what open transactions committed, by producer id, and ``memory`` counts
    what all that holds."""

    committed: dict[TopicPartition, OffsetAndMetadata] = field(default_factory=dict)
    pending: dict[TopicPartition, int] = field(default_factory=dict)
    transactions: dict[int, dict[TopicPartition, OffsetAndMetadata]] = field(default_factory=dict)
    memory: Holder = field(default_factory=lambda: Account().holder())

    @property
    def empty(self) -> bool:
        """Whether there is no offset, and none is being written."""
        return not (self.committed or self.pending or self.transactions)

    def admits(self, commits: Sequence[tuple[TopicPartition, OffsetAndMetadata]]) -> bool:
        """Whether there is memory for these, in place of those they replace."""
        more = 0
        for place, value in commits:
            more += _growth(self.committed.get(place), value)
        return self.memory.admits(more)

    def unstable(self, place: TopicPartition) -> bool:
        """Whether a commit is under way that may change this offset (KIP-447)."""
        return place in self.pending or any(place in t for t in self.transactions.values())

    def answer(self, stable: bool, topic: str, index: int) -> tuple[int, OffsetAndMetadata, int]:
        """The partition with its offset, -1 if there is none; ``stable``: UNSTABLE_OFFSET_COMMIT
        where a commit is under way."""
        place = topic, index
        if stable and self.unstable(place):
            return index, NO_OFFSET, ErrorCode.UNSTABLE_OFFSET_COMMIT
        return index, self.committed.get(place, NO_OFFSET), ErrorCode.NONE

    # -- writing -------------------------------------------------------------------------------

    def begin(self, places: Iterable[TopicPartition]) -> None:
        """Commits of these are being written."""
        for place in places:
            self.pending[place] = self.pending.get(place, 0) + 1

    def end(self, places: Iterable[TopicPartition]) -> None:
        """They were written, or will not be."""
        for place in places:
            left = self.pending[place] - 1
            if left:
                self.pending[place] = left
            else:
                del self.pending[place]

    def apply(
        self, place: TopicPartition, value: OffsetAndMetadata | None, producer_id: int
    ) -> None:
        """A record was committed: outside a transaction (-1) it counts now."""
        if producer_id >= 0:
            self._apply_in_transaction(place, value, producer_id)
        else:
            self._put(self.committed, place, value)

    def _put(
        self,
        held: dict[TopicPartition, OffsetAndMetadata],
        place: TopicPartition,
        value: OffsetAndMetadata | None,
    ) -> None:
        """Replace what is held, or take it out; the memory follows."""
        if value is None:
            by = -_size(held.pop(place, None))
        else:
            by = _growth(held.get(place), value)
            held[place] = value
        if by:
            self.memory.change(by)

    def _apply_in_transaction(
        self, place: TopicPartition, value: OffsetAndMetadata | None, producer_id: int
    ) -> None:
        if value is not None:
            self._put(self.transactions.setdefault(producer_id, {}), place, value)
            return
        held = self.transactions.get(producer_id)
        if held is not None:
            self._put(held, place, None)
            if not held:
                del self.transactions[producer_id]

    def end_transaction(self, producer_id: int, *, committed: bool) -> None:
        """The producer's transaction has ended: its offsets count, unless a younger commit is
        there already, or never did."""
        held = self.transactions.pop(producer_id, None)
        if held is None:
            return
        self.memory.change(-sum(map(_size, held.values())))
        if not committed:
            return
        for place, value in held.items():
            known = self.committed.get(place)
            if known is None or known.position < value.position:
                self._put(self.committed, place, value)

    def drop_topics(self, topics: Collection[str]) -> list[TopicPartition]:
        """The places in deleted topics, to be written as tombstones; what transactions hold there
        is forgotten at once."""
        for producer_id in list(self.transactions):
            held = self.transactions[producer_id]
            for place in [place for place in held if place[0] in topics]:
                self._put(held, place, None)
            if not held:
                del self.transactions[producer_id]
        return [place for place in self.committed if place[0] in topics]

    # -- expiry --------------------------------------------------------------------------------

    def expired(self, group: Group, now: int, retention_ms: int) -> list[TopicPartition]:
        """What has been kept long enough, by the rules of KIP-211.

        ``now`` in ms. A group that became empty counts from then, one with members from each
        commit and only for topics nobody subscribes to, one that only stores offsets from each
        commit.
        """

        def since_commit(value: OffsetAndMetadata) -> int:
            return value.timestamp

        def since_empty(value: OffsetAndMetadata) -> int:
            return value.timestamp if group.state_time < 0 else group.state_time

        if group.protocol_type is None:
            return self._older(since_commit, now, retention_ms)
        if group.state is GroupState.EMPTY:
            return self._older(since_empty, now, retention_ms)
        if group.state is GroupState.STABLE and group.is_consumer and group.subscribed is not None:
            return self._older(since_commit, now, retention_ms, group.subscribed)
        return []

    def expired_since_commit(
        self, now: int, retention_ms: int, subscribed: Collection[str]
    ) -> list[TopicPartition]:
        """What was committed long enough ago, but for topics somebody subscribes to."""
        return self._older(lambda value: value.timestamp, now, retention_ms, subscribed)

    def _older(
        self,
        since: Callable[[OffsetAndMetadata], int],
        now: int,
        retention_ms: int,
        subscribed: Collection[str] = (),
    ) -> list[TopicPartition]:
        return [
            place
            for place, value in self.committed.items()
            if place[0] not in subscribed
            and place not in self.pending
            and (
                now - since(value) >= retention_ms
                if value.expires == NEVER
                else now >= value.expires
            )
        ]


NOTHING = GroupOffsets()


def _growth(before: OffsetAndMetadata | None, after: OffsetAndMetadata) -> int:
    """How much more an offset holds in the place of another, mostly nothing."""
    if before is None:
        return OFFSET_BYTES + len(after.metadata)
    return len(after.metadata) - len(before.metadata)


def _size(value: OffsetAndMetadata | None) -> int:
    return 0 if value is None else OFFSET_BYTES + len(value.metadata)
