"""A follower's promise to the disk: with ``flush.messages`` a leader hears of nothing unsynced.

In Kafka an append syncs before it returns, so the follower's next Fetch says what is durable;
here logs are synced in the background, and the fetcher waits for that before it asks again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pykafka_ops.broker.state.purgatory import Waiter
from pykafka_ops.broker.storage.partition import Partition
from pykafka_ops.broker.storage.replicas import Replicas
from pykafka_ops.errors import KafkaError

LOOK_AGAIN_MS = 1000.0
"""A log that is gone meanwhile tells nobody."""


class Owing:
    """The partitions of one fetcher whose logs owe something; ``timer`` is in ms."""

    def __init__(self, replicas: Replicas, timer: Callable[[], float]) -> None:
        self._replicas = replicas
        self._timer = timer
        self._keys: set[tuple[str, int]] = set()

    def note(self, partition: Partition) -> None:
        """It was appended to, or begins to follow. Raises KafkaError KAFKA_STORAGE_ERROR."""
        if partition.log.owed >= 0:
            self._keys.add(partition.key)

    async def settled(self) -> None:
        """Wait until none of them owes anything, or is there, any more."""
        while self._keys and not self._is_settled():
            told: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
            waiter = Waiter(
                self._keys,
                self._timer() + LOOK_AGAIN_MS,
                self._is_settled,
                lambda expired, told=told: _tell(told, expired),  # type: ignore[misc]
                lambda error, told=told: _tell(told, True),  # type: ignore[misc]
            )
            self._replicas.wait(self._replicas.produces, waiter)
            try:
                await told
            finally:
                self._replicas.produces.drop(waiter)
        self._keys.clear()

    def _is_settled(self) -> bool:
        return not any(map(self._owes, self._keys))

    def _owes(self, key: tuple[str, int]) -> bool:
        partition = self._replicas.find(*key)
        try:
            return partition is not None and not partition.is_leader and partition.log.owed >= 0
        except KafkaError:
            return False


def _tell(told: asyncio.Future[bool], expired: bool) -> None:
    if not told.done():
        told.set_result(expired)
