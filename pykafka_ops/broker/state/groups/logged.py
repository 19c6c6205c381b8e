"""Groups and offsets as the log of a partition says them, in both directions.

Members and running rebalances are soft state; what survives a restart comes from applied records
alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.state.groups.answers import Joined, Synced
from pykafka_ops.broker.state.groups.group import Group, GroupState
from pykafka_ops.broker.state.groups.join import Joins
from pykafka_ops.broker.state.groups.loading import Loading
from pykafka_ops.broker.state.groups.members import Members
from pykafka_ops.broker.state.groups.offsets import GroupOffsets, TopicPartition
from pykafka_ops.broker.state.groups.rebalance import Rebalance
from pykafka_ops.broker.state.groups.records import (
    GroupRecord,
    OffsetAndMetadata,
    OffsetRecord,
    decode_entry,
    encode_entry,
    restore_group,
)
from pykafka_ops.broker.state.groups.settings import GroupSettings
from pykafka_ops.broker.state.memory import Account
from pykafka_ops.broker.state.outcome import Instant, Outcome
from pykafka_ops.broker.state.timers import Timers
from pykafka_ops.wire.codes import ErrorCode


class ShardParts(NamedTuple):
    """What every shard needs; timers belong to ``owner``, ``new_id()`` gives the random part of
    member ids."""

    settings: GroupSettings
    timers: Timers
    owner: object
    new_id: Callable[[], str]
    memory: Account


class LoggedGroups:
    """Groups by id and their offsets: what of a shard the log makes."""

    def __init__(self, parts: ShardParts) -> None:
        settings, timers, owner, new_id, memory = parts
        self.groups: dict[str, Group] = {}
        self.offsets: dict[str, GroupOffsets] = {}
        self._settings = settings
        self._memory = memory
        self._rebalance = Rebalance(settings, timers, owner)
        self._joins = Joins(self._rebalance, new_id)
        self._members = Members(self._rebalance)
        self._stored: dict[str, GroupRecord] | None = {}
        self._open: dict[int, set[str]] = {}
        loading = self._loading = Loading(self.apply, self._put, self.decode)
        self.replay, self.skim, self.settle = loading.read, loading.skim, loading.settle

    # -- the log -------------------------------------------------------------------------------

    def encode(self, record: Any) -> tuple[bytes, bytes | None]:
        """As in ``Shard``."""
        return encode_entry(record)

    def decode(self, key: bytes, value: bytes | None) -> Any:
        """The record in a log entry, None for those of no group here. Raises CorruptError."""
        return decode_entry(key, value)

    def apply(self, record: Any, offset: int, producer_id: int) -> None:
        """As in ``Shard``."""
        if isinstance(record, GroupRecord):
            self._apply_group(record)
            return
        entry: OffsetRecord = record
        group_id, topic, partition, value = entry
        stored = None if value is None else OffsetAndMetadata(*value[:-1], offset)
        self._put(group_id, (topic, partition), stored, producer_id)

    def _put(
        self, group_id: str, place: TopicPartition, value: OffsetAndMetadata | None, producer: int
    ) -> None:
        offsets = self.offsets.get(group_id)
        if offsets is None:
            if value is None:
                return
            offsets = self.offsets[group_id] = GroupOffsets(memory=self._memory.holder())
        offsets.apply(place, value, producer)
        if producer >= 0:
            self._open.setdefault(producer, set()).add(group_id)

    def _apply_group(self, record: GroupRecord) -> None:
        if self._stored is not None:
            if record.value is None:
                self._stored.pop(record.group, None)
            else:
                self._stored[record.group] = record
            return
        group, value = self.groups.get(record.group), record.value
        if group is None or value is None or group.state is not GroupState.COMPLETING:
            return
        if group.generation == value.generation:
            for each in value.members:
                member = group.members.get(each.member_id)
                if member is not None:
                    group.assign(member, each.assignment)
            group.move(GroupState.STABLE, value.current_state_timestamp)

    def apply_marker(self, producer_id: int, offset: int, *, committed: bool) -> None:
        """As in ``Shard``: the offsets of the transaction count, or are dropped."""
        if producer_id in self._open:  # a commit outside may be younger than those inside
            self.settle()
        for group_id in self._open.pop(producer_id, ()):
            offsets = self.offsets.get(group_id)
            if offsets is not None:
                offsets.end_transaction(producer_id, committed=committed)

    def loaded(self, now: Instant) -> Outcome | None:
        """As in ``Shard``: each member has a session timeout from now for its first heartbeat."""
        self.settle()
        self._loading.forget()
        stored, self._stored = self._stored or {}, None
        out = Outcome()
        for group_id, record in stored.items():
            assert record.value is not None
            group = self.groups[group_id] = restore_group(group_id, record.value, self._memory)
            for member in group.members.values():
                self._rebalance.expect(group, member, now.timer)
            if len(group.members) > self._settings.max_size:
                self._rebalance.prepare(group, now, out, "Freshly-loaded group is over capacity")
        for group_id, offsets in list(self.offsets.items()):
            if offsets.empty:
                del self.offsets[group_id]
            elif not self.knows(group_id):
                self.groups[group_id] = Group(group_id, memory=self._memory.holder())
        self._rebalance.at(now.timer + self._settings.retention_check_ms, self.expire_offsets)
        return out

    @property
    def is_loading(self) -> bool:
        """Whether the log is still being read."""
        return self._stored is not None

    def forget_stored(self, group_id: str) -> None:
        """While loading: what was read of a classic group with that id does not count."""
        if self._stored is not None:
            self._stored.pop(group_id, None)

    def knows(self, group_id: str) -> bool:
        """Whether there is a group with that id."""
        return group_id in self.groups

    def unloaded(self) -> Sequence[tuple[Deferred, object]]:
        """As in ``Shard``."""
        out = Outcome()
        gone = ErrorCode.NOT_COORDINATOR
        for group in self.groups.values():
            for member in group.members.values():
                self._rebalance.answer_join(group, member, Joined(gone, member.id), out)
                self._rebalance.answer_sync(member, Synced(gone), out)
            group.memory.release()
        for offsets in self.offsets.values():
            offsets.memory.release()
        return out.replies

    def expire_offsets(self, now: Instant) -> Outcome:
        """Write tombstones for what has been kept long enough."""
        raise NotImplementedError
