"""The group coordinator of a broker: what handlers call (``GroupCoordinatorAdapter``)."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from pykafka_ops.broker.coordinators.runtime import Coordinator, Environment, Slot
from pykafka_ops.broker.state.groups.group import GroupSettings
from pykafka_ops.broker.state.groups.shard import GroupShard
from pykafka_ops.broker.state.names import GROUP_METADATA_TOPIC
from pykafka_ops.broker.state.timers import Timers
from pykafka_ops.disk.compression import Codec
from pykafka_ops.errors import KafkaError, SettingError
from pykafka_ops.wire.codes import ErrorCode

if TYPE_CHECKING:
    from pykafka_ops.broker.state.configs.running import BrokerConfigs
    from pykafka_ops.broker.state.image import MetadataImage

MINUTE_MS = 60_000

GroupSlot = Slot[GroupShard]


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
        self._image = image
        self._configs = configs
        self._new_id = new_id
        self.coordinator: Coordinator[GroupShard] = Coordinator(
            GROUP_METADATA_TOPIC,
            environment,
            self._make,
            partitions=self._partitions,
            timeout_ms=configs.value("offsets.commit.timeout.ms"),
            codec=_codec(configs.value("offsets.topic.compression.codec")),
        )
        self.run = self.coordinator.run
        self.now = self.coordinator.now

    def _make(self, index: int, timers: Timers, slot: GroupSlot) -> GroupShard:
        return GroupShard(self.settings, timers, slot, self._new_id)

    def _partitions(self) -> int:
        topic = self._image.topics.get(GROUP_METADATA_TOPIC)
        if topic is not None:
            return len(topic.partitions)
        count: int = self._configs.value("offsets.topic.num.partitions")
        return count

    def slot_of(self, group_id: str, *, may_be_empty: bool = False) -> GroupSlot:
        """The shard of a group; ``may_be_empty`` is for requests about offsets alone.

        Raises KafkaError INVALID_GROUP_ID, NOT_COORDINATOR or COORDINATOR_LOAD_IN_PROGRESS.
        """
        if not group_id and not may_be_empty:
            raise KafkaError(ErrorCode.INVALID_GROUP_ID)
        return self.coordinator.slot_of(group_id)

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
