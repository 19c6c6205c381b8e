"""Commits of the same partitions of a group, again and again, straight to the log.

A consumer commits the same partitions every few seconds: the batch that is written differs in
offsets, leader epochs and times alone. A :class:`CommitPath` has it ready. Where the partition has
followers, the runtime waits for them as for any other batch of a shard. It declines (None), and
nothing is done, where

* the coordinator is not here, or this broker does not lead the partition,
* the group or the member is not what the commit says, or the offsets were not committed before,
* too few replicas are in sync, the disk has to be waited for, or something is due before that.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from struct import Struct
from typing import Final

from pykafka_ops.broker.coordinators.groups import Groups, GroupSlot
from pykafka_ops.broker.hot.append import is_due, settle, write
from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.state.append_errors import commit_code
from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.state.deferred import Deferred
from pykafka_ops.broker.state.groups.group import GroupState
from pykafka_ops.broker.state.groups.offsets import GroupOffsets, TopicPartition
from pykafka_ops.broker.state.groups.records import (
    NEVER,
    OffsetAndMetadata,
    OffsetRecord,
    encode_entry,
)
from pykafka_ops.broker.state.outcome import Outcome
from pykafka_ops.disk.batch import CRC_START, HEADER_SIZE
from pykafka_ops.disk.build import build_plain
from pykafka_ops.disk.checksum import crc32c
from pykafka_ops.disk.compression import Codec
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

Numbers = Sequence[int]

PARTITION_BYTES: Final = 200
"""What a path, and what is known of its requests, holds for a partition; measured."""
_CRC_AT, _TIMES_AT = 17, 27
_CRC = Struct(">I")
_TIMES = Struct(">qq")
_NOBODY = (-1, -1, -1)
"""Producer id, epoch and sequence of a batch that no producer has made."""
_new = tuple.__new__


@lru_cache(64)
def _value(size: int) -> Struct:
    """Offset, leader epoch, text with its length, time."""
    return Struct(f">qi{size}sq")


class CommitPath:
    """Commits of ``places``, with ``notes``, by one ``member`` (id and static name) of a group."""

    __slots__ = (
        "_before",
        "_checked",
        "_config",
        "_covered",
        "_fields",
        "_group_id",
        "_groups",
        "_member",
        "_notes",
        "_packers",
        "_places",
        "_room",
        "_starts",
        "_texts",
        "_view",
    )

    def __init__(
        self,
        groups: Groups,
        group_id: str,
        member: tuple[str, str | None],
        places: list[TopicPartition],
        notes: list[str],
    ) -> None:
        self._groups = groups
        self._group_id = group_id
        self._member = member
        self._places, self._notes = places, notes
        self._room, self._starts, self._texts = self._prepared()
        self._packers = [_value(len(text)).pack_into for text in self._texts]
        self._view = memoryview(self._room)
        self._covered = self._view[CRC_START:]
        length, last = len(self._room) - 12, len(places) - 1
        self._before = (0, length, -1, 2, 0, 0, last)
        self._fields = (*self._before, 0, 0, *_NOBODY, len(places))
        self._config: TopicConfig | None = None
        self._checked = False

    def _prepared(self) -> tuple[bytearray, list[int], list[bytes]]:
        """The batch, and for each record where its value begins behind the version, and its text
        with the length."""
        entries, starts, texts = [], [], dict[bytes, bytes]()
        for (topic, index), note in zip(self._places, self._notes, strict=True):
            value = OffsetAndMetadata(0, 0, note, 0, NEVER)
            entries.append(encode_entry(OffsetRecord(self._group_id, topic, index, value)))
        room = build_plain(entries, 0)
        at, found = HEADER_SIZE, []
        for _, data in entries:
            assert data is not None
            at = room.index(data, at)
            starts.append(at + 2)
            text = data[14:-8]
            found.append(texts.setdefault(text, text))
            at += len(data)
        return room, starts, found

    def commit(
        self, generation: int, offsets: Numbers, epochs: Numbers
    ) -> ErrorCode | Deferred | None:
        """What the commit ends with, or the promise of it where followers have to have it first;
        None where the ordinary code has to do it."""
        coordinator, group_id = self._groups.coordinator, self._group_id
        try:
            slot = coordinator.slot_of(group_id)
        except KafkaError:
            return None
        shard, clocks = slot.shard, coordinator.environment
        group, kept, time = shard.groups.get(group_id), shard.offsets.get(group_id), clocks.clock()
        if group is None or kept is None or not self._may_append(slot, time):
            return None
        base = slot.partition.log.tail.end
        made = self._made(kept, offsets, epochs, (time, base))
        if made is None or group.state is GroupState.DEAD:
            return None
        who = (*self._member, generation)
        if shard.may_commit(group, who, clocks.timer(), in_transaction=False) is not ErrorCode.NONE:
            return None
        try:
            self._append(slot.partition, time)
        except KafkaError as error:
            coordinator.append_failed(slot, error)
            return commit_code(ErrorCode.of(error.code))
        if slot.partition.in_sync is not None:
            return self._replicated(slot, kept, made, base)
        kept.committed.update(made)
        return ErrorCode.NONE

    def _replicated(
        self,
        slot: GroupSlot,
        kept: GroupOffsets,
        made: dict[TopicPartition, OffsetAndMetadata],
        base: int,
    ) -> Deferred:
        """The promise of the code for the batch at offset ``base``: it counts once it is
        committed."""
        ticket, group_id = Deferred(), self._group_id
        kept.begin(self._places)
        outcome = Outcome(
            records=[OffsetRecord(group_id, *place, value) for place, value in made.items()],
            then=partial(slot.shard.committed, kept, self._places, ticket),
        )
        self._groups.coordinator.appended(slot, outcome, base, base + len(self._places) - 1)
        return ticket

    def _made(
        self, kept: GroupOffsets, offsets: Numbers, epochs: Numbers, when: tuple[int, int]
    ) -> dict[TopicPartition, OffsetAndMetadata] | None:
        """What is kept from now on; it is in the batch, too. None if it takes more memory than
        what it replaces."""
        time, base = when
        room, known = self._room, kept.committed
        made: dict[TopicPartition, OffsetAndMetadata] = {}
        for place, pack, at, text, note, offset, epoch in zip(
            self._places, self._packers, self._starts, self._texts, self._notes, offsets, epochs,
            strict=True,
        ):  # fmt: skip
            before = known.get(place)
            if before is None or len(before.metadata) != len(note):
                return None
            pack(room, at, offset, epoch, text, time)
            made[place] = _new(OffsetAndMetadata, (offset, epoch, note, time, NEVER, base))
        return made

    def _may_append(self, slot: GroupSlot, now: int) -> bool:
        """Whether the batch can be appended, and counts at once or when followers have it."""
        partition = slot.partition
        log = partition.used_log
        if log is None or partition.leader != partition.local_id:
            return False
        tail = log.tail
        if partition.in_sync is not None:
            if not partition.enough_in_sync():
                return False
        elif not partition.isr or slot.inflight or tail.high_watermark != tail.end:
            return False
        active = tail.active
        if (
            active is None
            or tail.owed >= 0
            or now >= tail.look_at
            or partition.leader_epoch != tail.latest_epoch
        ):
            return False
        config = log.config
        if config is not self._config:
            self._config, self._checked = config, self._is_usual(config)
        self._fields = (*self._before, now, now, *_NOBODY, len(self._places))
        return self._checked and not is_due(tail, active, self._fields)

    def _is_usual(self, config: TopicConfig) -> bool:
        """Whether nothing in a batch has to be checked or rewritten."""
        return self._groups.coordinator.codec is Codec.NONE and config.takes_as_is(len(self._room))

    def _append(self, partition: Partition, now: int) -> None:
        """Write the batch. Raises KafkaError KAFKA_STORAGE_ERROR."""
        room, log = self._room, partition.log
        _TIMES.pack_into(room, _TIMES_AT, now, now)
        _CRC.pack_into(room, _CRC_AT, crc32c(self._covered))
        tail = log.tail
        active = tail.active
        assert active is not None
        position = active.size
        view = self._view
        try:
            write(tail, active, view, self._fields, partition.leader_epoch)
        except OSError as error:
            raise log.take_back(position, error) from error
        replicas = self._groups.coordinator.environment.replicas
        settle(partition, tail, replicas, len(room), len(self._places))
