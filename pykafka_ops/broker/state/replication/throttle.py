"""Throttles of replication (KIP-73): which replicas count, and how many bytes went lately.

Counterpart of ``ReplicationQuotaManager`` and ``TopicConfigHandler``. Times in ms
of a monotonic clock, sizes in bytes, rates in bytes per second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pykafka_ops.broker.state.quotas.sampled import SimpleRate, Windows

LEADER_REPLICAS = "leader.replication.throttled.replicas"
FOLLOWER_REPLICAS = "follower.replication.throttled.replicas"
LEADER_RATE = "leader.replication.throttled.rate"
FOLLOWER_RATE = "follower.replication.throttled.rate"


class ReplicationQuota:
    """The throttle of one side; ``rate()`` is its limit as it counts now."""

    def __init__(self, rate: Callable[[], int], windows: Windows) -> None:
        self._rate = rate
        self._measured = SimpleRate(windows)
        self._partitions: dict[str, frozenset[int] | None] = {}

    def mark(self, topic: str, partitions: frozenset[int] | None) -> None:
        """These partitions of a topic count from now on, and no others of it; None: all."""
        if partitions is None or partitions:
            self._partitions[topic] = partitions
        else:
            self._partitions.pop(topic, None)

    def is_throttled(self, key: tuple[str, int]) -> bool:
        """Whether a partition counts."""
        if key[0] not in self._partitions:
            return False
        partitions = self._partitions[key[0]]
        return partitions is None or key[1] in partitions

    def record(self, size: int, now: float) -> None:
        """``size`` bytes of partitions that count went, allowed or not."""
        self._measured.record(size, now)

    def is_exceeded(self, now: float) -> bool:
        """Whether more went than is allowed; what is in sync may go on all the same."""
        return self._measured.at(now) > self._rate()


class ReplicationThrottles:
    """Both sides of one broker; ``value(name)`` gives its settings as they count now."""

    def __init__(self, broker_id: int, value: Callable[[str], int]) -> None:
        windows = Windows.of(value, "replication.quota.window")
        self._broker_id = broker_id
        self.leader = ReplicationQuota(lambda: value(LEADER_RATE), windows)
        self.follower = ReplicationQuota(lambda: value(FOLLOWER_RATE), windows)

    def topic_changed(self, topic: str, overrides: Mapping[str, str]) -> None:
        """The topic has these settings of its own now."""
        for quota, name in ((self.leader, LEADER_REPLICAS), (self.follower, FOLLOWER_REPLICAS)):
            quota.mark(topic, throttled_partitions(overrides.get(name, ""), self._broker_id))


def throttled_partitions(text: str, broker_id: int) -> frozenset[int] | None:
    """The partitions that ``partition:broker`` pairs name for a broker; None for ``*``, all.

    Pairs that are none, of a znode written by hand, are left out.
    """
    if text.strip() == "*":
        return None
    found = set()
    for pair in text.split(","):
        partition, _, broker = pair.strip().partition(":")
        if broker == str(broker_id) and partition.isdecimal():
            found.add(int(partition))
    return frozenset(found)
