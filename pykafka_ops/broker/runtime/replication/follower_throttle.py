"""``follower.replication.throttled.rate`` for the fetchers."""

from __future__ import annotations

from collections.abc import Callable

from pykafka_ops.broker.state.replication.throttle import ReplicationQuota


class FollowerThrottle:
    """The quota on the fetchers' clock (a ``fetch_requests.Throttle``)."""

    def __init__(self, quota: ReplicationQuota, timer: Callable[[], float]) -> None:
        """``timer()`` is a monotonic clock in ms."""
        self._quota = quota
        self._timer = timer

    def is_throttled(self, key: tuple[str, int]) -> bool:
        """Whether the partition counts."""
        return self._quota.is_throttled(key)

    def is_exceeded(self) -> bool:
        """Whether more than allowed was copied lately."""
        return self._quota.is_exceeded(self._timer())

    def record(self, size: int) -> None:
        """``size`` bytes of partitions that count were copied."""
        self._quota.record(size, self._timer())
