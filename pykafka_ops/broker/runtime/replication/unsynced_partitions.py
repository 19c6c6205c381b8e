"""A follower that syncs: with ``flush.messages`` it acknowledges nothing unsynced to its leader.

In Kafka an append syncs before it returns, so the follower's next Fetch says what is durable;
here logs are synced in the background, and the fetcher waits for that before it asks again.
"""

from __future__ import annotations

from pykafka_ops.broker.partitions.partition import Partition
from pykafka_ops.broker.partitions.replicas import Replicas
from pykafka_ops.broker.partitions.waiting import wait_until
from pykafka_ops.errors import KafkaError


class UnsyncedPartitions:
    """The partitions of one fetcher whose logs hold records that are not synced yet."""

    def __init__(self, replicas: Replicas) -> None:
        self._replicas = replicas
        self._keys: set[tuple[str, int]] = set()

    def note(self, partition: Partition) -> None:
        """It was appended to, or begins to follow. Raises KafkaError KAFKA_STORAGE_ERROR."""
        if partition.log.durability.owed >= 0:
            self._keys.add(partition.key)

    async def synced(self) -> None:
        """Wait until all of them are synced, or not followed any more."""
        if self._keys:
            await wait_until(self._replicas, self._keys, self._are_synced)
            self._keys.clear()

    def _are_synced(self) -> bool:
        return not any(map(self._is_unsynced, self._keys))

    def _is_unsynced(self, key: tuple[str, int]) -> bool:
        partition = self._replicas.find(*key)
        try:
            return (
                partition is not None
                and not partition.is_leader
                and partition.log.durability.owed >= 0
            )
        except KafkaError:
            return False
