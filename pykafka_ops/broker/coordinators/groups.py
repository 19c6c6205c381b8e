"""The group coordinator of a broker: what handlers call (``GroupCoordinatorAdapter``)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from pykafka_ops.broker.coordinators.runtime import Coordinator, Environment, partition_count
from pykafka_ops.broker.coordinators.slot import Slot
from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.deferred import all_of
from pykafka_ops.broker.state.groups.settings import GroupSettings
from pykafka_ops.broker.state.image import MetadataImage
from pykafka_ops.broker.state.names import GROUP_METADATA_TOPIC
from pykafka_ops.broker.state.outcome import Instant
from pykafka_ops.broker.state.timers import Timers
from pykafka_ops.disk.compression import Codec
from pykafka_ops.errors import KafkaError, SettingError
from pykafka_ops.wire.codes import ErrorCode

if TYPE_CHECKING:  # a broker without groups loads none of it
    from pykafka_ops.broker.state.groups.answers import JoinRequest, Leaving, Synced, SyncRequest
    from pykafka_ops.broker.state.groups.commits import Commit
    from pykafka_ops.broker.state.groups.consumer.answers import Beat
    from pykafka_ops.broker.state.groups.consumer.group import ConsumerGroup
    from pykafka_ops.broker.state.groups.consumer.kept import Protocols
    from pykafka_ops.broker.state.groups.consumer.shard import ConsumerShard
    from pykafka_ops.broker.state.groups.group import Group
    from pykafka_ops.broker.state.groups.shard import GroupShard

MINUTE_MS = 60_000

GroupSlot = Slot["GroupShard"]
CLASSIC, CONSUMER = "classic", "consumer"
"""Protocols of ``group.coordinator.rebalance.protocols`` that are served, and types of groups."""


class AnyGroup(NamedTuple):
    """A group in a list, of whatever type."""

    id: str
    protocol_type: str
    state: str
    type: str


class Groups:
    """All groups this broker coordinates; ``new_id()`` gives the random part of member ids.

    Raises SettingError for an unknown ``offsets.topic.compression.codec``.
    """

    def __init__(
        self,
        environment: Environment,
        *,
        image: MetadataImage,
        configs: BrokerConfigs,
        new_id: Callable[[], str],
    ) -> None:
        self.settings = group_settings(configs)
        self.protocols = _protocols(configs, image)
        """What consumer groups need; None where they are not served."""
        self._new_id = new_id
        self._memory = environment.memory
        self.coordinator: Coordinator[GroupShard] = Coordinator(
            GROUP_METADATA_TOPIC,
            environment,
            self._make,
            partitions=partial(partition_count, GROUP_METADATA_TOPIC, image, configs),
            timeout_ms=configs.value("offsets.commit.timeout.ms"),
            codec=_codec(configs.value("offsets.topic.compression.codec")),
        )
        self.run = self.coordinator.run
        self.now = self.coordinator.now

    def _make(self, index: int, timers: Timers, slot: GroupSlot) -> GroupShard:
        from pykafka_ops.broker.state.groups.logged import ShardParts  # few brokers host none
        from pykafka_ops.broker.state.groups.shard import GroupShard

        parts = ShardParts(self.settings, timers, slot, self._new_id, self._memory)
        if self.protocols is None:
            return GroupShard(parts)
        from pykafka_ops.broker.state.groups.consumer.shard import ConsumerShard

        return ConsumerShard(parts, self.protocols)

    def slot_of(self, group_id: str, *, may_be_empty: bool = False) -> GroupSlot:
        """The shard of a group; ``may_be_empty`` is for requests about offsets alone.

        Raises KafkaError INVALID_GROUP_ID, NOT_COORDINATOR or COORDINATOR_LOAD_IN_PROGRESS.
        """
        if not group_id and not may_be_empty:
            raise KafkaError(ErrorCode.INVALID_GROUP_ID)
        return self.coordinator.slot_of(group_id)

    def classic_slot_of(self, group_id: str) -> GroupSlot | None:
        """The same where groups can only be classic; None where they can be others, or it is not
        here."""
        return None if self.protocols is not None else self.coordinator.loaded_of(group_id)

    # -- members ---------------------------------------------------------------------------------
    #
    # All raise KafkaError INVALID_GROUP_ID, NOT_COORDINATOR or COORDINATOR_LOAD_IN_PROGRESS.

    def join(self, group_id: str, request: JoinRequest) -> Deferred:
        """Let a member in; the promise is of a ``Joined``, once the generation begins."""
        slot, ticket = self.slot_of(group_id), Deferred()
        self.run(slot, slot.shard.join(group_id, request, ticket, self.now()))
        return ticket

    def sync(self, group_id: str, request: SyncRequest) -> Synced | Deferred:
        """Give a member its assignment: a ``Synced`` without an error, or the promise of one.

        Raises KafkaError REBALANCE_IN_PROGRESS while groups are loaded: members then join again.
        """
        try:
            slot = self.slot_of(group_id)
        except KafkaError as error:
            if error.code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS:
                raise KafkaError(ErrorCode.REBALANCE_IN_PROGRESS) from error
            raise
        now = self.now()
        found = slot.shard.assigned(group_id, request, now.timer)
        if found is not None:
            return found
        ticket = Deferred()
        self.run(slot, slot.shard.sync(group_id, request, ticket, now))
        return ticket

    def heartbeat(
        self, group_id: str, member_id: str, instance_id: str | None, generation: int
    ) -> ErrorCode:
        """A member is alive: NONE, REBALANCE_IN_PROGRESS, or why it is no member.

        NONE while groups are loaded: nothing is known yet, so nobody is sent away.
        """
        try:
            slot = self.slot_of(group_id)
        except KafkaError as error:
            if error.code != ErrorCode.COORDINATOR_LOAD_IN_PROGRESS:
                raise
            return ErrorCode.NONE
        now = self.coordinator.environment.timer()  # the wall clock does not matter
        return slot.shard.heartbeat(group_id, member_id, instance_id, generation, now)

    def beat(self, beat: Beat, version: int) -> Deferred:
        """A member of a consumer group is alive; the promise is of a ``Beaten``.

        Raises also KafkaError UNSUPPORTED_VERSION where there are no such groups, INVALID_REQUEST
        and UNSUPPORTED_ASSIGNOR.
        """
        if self.protocols is None:
            raise KafkaError(ErrorCode.UNSUPPORTED_VERSION)
        from pykafka_ops.broker.state.groups.consumer.checks import check_request

        check_request(beat, version, self.protocols.settings)
        shard_slot: Any = self.slot_of(beat.group_id)
        ticket, shard = Deferred(), shard_slot.shard
        self.run(shard_slot, shard.beat(beat, ticket, self.now()))
        return ticket

    def consumer_group(self, group_id: str) -> ConsumerGroup | None:
        """The consumer group with that id, None if there is none."""
        slot = self.slot_of(group_id, may_be_empty=True)
        if self.protocols is None:
            return None
        shard: ConsumerShard = slot.shard  # type: ignore[assignment]  # as _make has it
        return shard.consumers.get(group_id)

    def speaks_consumer(self, group_id: str, member_id: str) -> bool:
        """Whether a member of a consumer group uses the consumer protocol.

        Raises KafkaError NOT_COORDINATOR or COORDINATOR_LOAD_IN_PROGRESS where there can be such.
        """
        if self.protocols is None:
            return False
        group = self.consumer_group(group_id)
        member = None if group is None else group.members.get(member_id)
        return member is not None and member.classic is None

    def leave(self, group_id: str, leaving: list[Leaving]) -> Deferred:
        """Take members out; the promise is of a code for each, or of one for all."""
        slot, ticket = self.slot_of(group_id), Deferred()
        self.run(slot, slot.shard.leave(group_id, leaving, ticket, self.now()))
        return ticket

    def describe(self, group_id: str) -> Group | None:
        """The group as it is, None if there is none."""
        return self.slot_of(group_id, may_be_empty=True).shard.groups.get(group_id)

    @property
    def loading(self) -> bool:
        """Whether groups of some partition are still unknown."""
        return self.coordinator.loading

    def all(self) -> Iterator[Group]:
        """The classic groups of the partitions that are loaded."""
        return (group for slot in self.coordinator.slots() for group in slot.shard.groups.values())

    def listed(self) -> Iterator[AnyGroup]:
        """All groups of the partitions that are loaded."""
        for group in self.all():
            yield AnyGroup(group.id, group.protocol_type or "", group.state.value, CLASSIC)
        if self.protocols is None:
            return
        for slot in self.coordinator.slots():
            shard: ConsumerShard = slot.shard  # type: ignore[assignment]  # as _make has it
            for each in shard.consumers.values():
                yield AnyGroup(each.id, CONSUMER, each.state.value, CONSUMER)

    def delete(self, group_ids: Iterable[str]) -> list[Any] | Deferred:
        """Delete groups without members, with their offsets; codes by group id, one dictionary for
        each shard. Raises nothing: the codes say it all."""
        refused: dict[str, ErrorCode] = {}
        work: dict[GroupSlot, list[str]] = {}
        for group_id in dict.fromkeys(group_ids):
            try:
                slot = self.slot_of(group_id, may_be_empty=True)
            except KafkaError as error:
                refused[group_id] = ErrorCode.of(error.code)
            else:
                work.setdefault(slot, []).append(group_id)
        tickets: list[object] = [refused]
        for slot, names in work.items():
            ticket = Deferred()
            self.run(slot, slot.shard.delete_groups(names, ticket, self.now()))
            tickets.append(ticket)
        return all_of(tickets)

    # -- offsets ---------------------------------------------------------------------------------

    def commit(
        self,
        group_id: str,
        who: tuple[str, str | None, int],
        commits: Sequence[Commit],
        now: Instant,
    ) -> Deferred:
        """Store offsets; the promise is of one code for all.

        ``who`` is member id, static name and generation (-1: none). Raises KafkaError
        NOT_COORDINATOR or COORDINATOR_LOAD_IN_PROGRESS.
        """
        slot, ticket = self.slot_of(group_id, may_be_empty=True), Deferred()
        self.run(slot, slot.shard.commit(group_id, who, commits, ticket, now))
        return ticket

    def topics_deleted(self, topics: Collection[str]) -> None:
        """Forget the offsets in topics that are no more (``handleDeletedPartitions``)."""
        for slot in self.coordinator.slots():
            self.run(slot, slot.shard.topics_deleted(topics))


def _codec(number: int) -> Codec:
    """Raises SettingError for a number that is no codec's."""
    try:
        return Codec(number)
    except ValueError:
        known = ", ".join(f"{int(codec)} {codec.name.lower()}" for codec in Codec)
        raise SettingError(
            f"offsets.topic.compression.codec: {number} is no codec: use one of {known}"
        ) from None


def _protocols(configs: BrokerConfigs, image: MetadataImage) -> Protocols | None:
    """What consumer groups need, None where they are not served. Raises SettingError."""
    get = configs.value
    if CONSUMER not in get("group.coordinator.rebalance.protocols"):
        return None
    from pykafka_ops.broker.state.groups.consumer.kept import Protocols
    from pykafka_ops.broker.state.groups.consumer.settings import (
        ConsumerSettings,
        MigrationPolicy,
        assignor_names,
        within,
    )
    from pykafka_ops.broker.state.groups.consumer.topics import SeenTopics

    settings = ConsumerSettings(
        session_ms=within("session.timeout.ms", get),
        heartbeat_ms=within("heartbeat.interval.ms", get),
        max_size=get("group.consumer.max.size"),
        assignors=assignor_names(get("group.consumer.assignors")),
        policy=MigrationPolicy(get("group.consumer.migration.policy").lower()),
        classic_max_size=get("group.max.size"),
    )
    if settings.heartbeat_ms >= settings.session_ms:
        raise SettingError(
            "group.consumer.heartbeat.interval.ms must be less than "
            "group.consumer.session.timeout.ms"
        )
    return Protocols(settings, SeenTopics(image))


def group_settings(configs: BrokerConfigs) -> GroupSettings:
    """The settings about groups out of the broker's."""
    get = configs.value
    return GroupSettings(
        min_session_ms=get("group.min.session.timeout.ms"),
        max_session_ms=get("group.max.session.timeout.ms"),
        initial_delay_ms=get("group.initial.rebalance.delay.ms"),
        max_size=get("group.max.size"),
        metadata_max_bytes=get("offset.metadata.max.bytes"),
        retention_ms=get("offsets.retention.minutes") * MINUTE_MS,
        retention_check_ms=get("offsets.retention.check.interval.ms"),
    )
