"""A cluster of any size whose figures follow from numbers and a seed: nothing of it is kept.

Partition ``n`` of all is partition ``n % per_topic`` of topic ``n // per_topic``. Functions take
one number or a numpy array of them. Sizes are in bytes, times in ms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

DAY: Final = 86_400_000
SPAN: Final = 5 * DAY
"""How long ago the first record of every log was written; the rest follow at one rate."""
RECORD: Final = 1_000
"""Bytes of a record."""
_RECORDS: Final = 22_000_000
"""In a log there are so many at least, and fewer than twice as many."""
_HOT: Final = 20
"""A hot partition has so many times the records."""
_ONE_IN: Final = 100
"""Of so many topics one has a hot partition, its first."""
_LAGS: Final = 1_000
COMMITS: Final = 12
"""Commits of each partition of a group that has members."""
EVERY: Final = 50_000
"""ms between two commits."""
SINCE: Final = 5_000
"""ms since the last commit."""
CAUGHT_UP: Final = 10
"""Records that a group was further behind at each commit before the last one."""
COPIES: Final = 3
MEMBERS: Final = 4
RACKS: Final = 3
VOLUME: Final = 80 << 40
"""Bytes of the volume of each log directory."""
DIRS: Final = ("/data/0", "/data/1")


@dataclass(frozen=True)
class ClusterRules:
    """How large the cluster is; ``now`` is the moment its logs end at (ms)."""

    now: int
    brokers: int = 1_000
    partitions: int = 1_000_000
    per_topic: int = 50
    groups: int = 1_000
    seed: int = 1

    @property
    def topics(self) -> int:
        """How many topics; the last may be short."""
        return -(-self.partitions // self.per_topic)

    def mix(self, n: Any, salt: int) -> Any:
        """A number below 2**63 that looks like chance (the finish of SplitMix64)."""
        x = np.asarray(n).astype(np.uint64)
        with np.errstate(over="ignore"):
            x = x * np.uint64(0x9E3779B97F4A7C15) + np.uint64((self.seed << 8) + salt)
            x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return ((x ^ (x >> np.uint64(31))) >> np.uint64(1)).astype(np.int64)

    def partitions_of(self, topic: int) -> range:
        """The partitions of a topic, as numbers of all."""
        return range(topic * self.per_topic, min((topic + 1) * self.per_topic, self.partitions))

    # --- logs

    def records(self, n: Any) -> Any:
        """Records in a log."""
        n = np.asarray(n)
        is_hot = (n % self.per_topic == 0) & (self.mix(n // self.per_topic, 2) % _ONE_IN == 0)
        return (_RECORDS + self.mix(n, 1) % _RECORDS) * np.where(is_hot, _HOT, 1)

    def bytes(self, n: Any) -> Any:
        """Bytes of each replica."""
        return self.records(n) * RECORD

    def start(self, n: Any) -> Any:
        """Log start offset."""
        return self.mix(n, 3) % 1_000_000_000

    def end(self, n: Any) -> Any:
        """Log end offset."""
        return self.start(n) + self.records(n)

    def written(self, n: Any, offset: Any) -> Any:
        """When the record at an offset was written."""
        return self.now - SPAN + (offset - self.start(n)) * SPAN // self.records(n)

    def at(self, n: Any, moment: int) -> Any:
        """The first offset from a moment on; -1 where no record is as new."""
        count = self.records(n)
        behind = -(-(np.int64(max(0, moment - (self.now - SPAN))) * count) // SPAN)
        return np.where(behind >= count, -1, self.start(n) + behind)

    # --- where they lie

    def broker(self, n: Any, copy: int) -> Any:
        """The broker of a replica; that of the first copy leads."""
        return (np.asarray(n) + copy) % self.brokers

    def copies(self) -> int:
        """Replicas of each partition."""
        return min(COPIES, self.brokers)

    def held(self, broker: int) -> Any:
        """The partitions that have a replica on a broker, in order."""
        found = [
            np.arange((broker - copy) % self.brokers, self.partitions, self.brokers)
            for copy in range(self.copies())
        ]
        return np.sort(np.concatenate(found))

    def directory(self, n: Any) -> Any:
        """Which of DIRS a log lies in."""
        return np.asarray(n) // self.brokers % len(DIRS)

    def rack(self, broker: int) -> str:
        """The rack of a broker."""
        return f"rack-{broker % RACKS}"

    # --- who reads

    def reads(self, group: int) -> range:
        """The topics that a group reads."""
        return range(group, self.topics, self.groups)

    def lag(self, n: Any) -> Any:
        """Records that the group of a partition has not read."""
        return np.minimum(self.mix(n, 4) % _LAGS, self.records(n))

    def committed(self, n: Any) -> Any:
        """The offset that the group goes on from."""
        return self.end(n) - self.lag(n)

    def commit_times(self) -> list[int]:
        """When groups committed, in order."""
        return [self.now - SINCE - EVERY * (COMMITS - 1 - n) for n in range(COMMITS)]

    def committed_at(self, n: Any, time: int) -> Any:
        """The offset of the commit at one of ``commit_times``; the last one is in force."""
        last = self.now - SINCE
        written = self.at(n, last) - self.at(n, time)
        return self.committed(n) - written - (last - time) // EVERY * CAUGHT_UP

    def members(self, group: int) -> int:
        """Members of a group; one group in five has none."""
        return 0 if group % 5 == 0 else MEMBERS

    def retention_ms(self, topic: int) -> int:
        """A week or two: longer than logs are old."""
        return (7 + int(self.mix(topic, 5)) % 8) * DAY


def topic_name(topic: int) -> str:
    """Names sort as numbers do."""
    return f"topic-{topic:07d}"


def group_name(group: int) -> str:
    """Likewise."""
    return f"group-{group:06d}"


def number_of(name: str) -> int:
    """The number of a topic or group."""
    return int(name.rpartition("-")[2])
