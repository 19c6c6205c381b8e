"""``__consumer_offsets`` of a cluster by rule: batches are made when somebody reads them.

Each group with members commits all its partitions at each of ``rules.commit_times()``, in a batch.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from struct import Struct
from typing import Final

import numpy as np

from pykafka_ops.analysis.java_hash import partition_for
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.internal import OffsetCommitKey, encode
from pykafka_ops.disk.record import Record
from tests.support.by_rule.rules import ClusterRules, group_name, topic_name

TOPIC: Final = "__consumer_offsets"
PARTITIONS: Final = 50
LATEST: Final = -1
EARLIEST: Final = -2
MAX_TIMESTAMP: Final = -3
_VALUE: Final = Struct(">hqihq")
"""Version 3: offset, no leader epoch, no metadata, when it was committed."""


class CommitLogs:
    """The logs begin at offset 0; a commit has an offset of its own."""

    def __init__(self, rules: ClusterRules) -> None:
        self._rules = rules
        self._times = rules.commit_times()
        self._groups: list[list[int]] = [[] for _ in range(PARTITIONS)]
        self._starts: list[list[int]] = [[0] for _ in range(PARTITIONS)]
        for group in range(rules.groups):
            size = sum(len(rules.partitions_of(t)) for t in rules.reads(group))
            if rules.members(group) and size:
                log = partition_for(group_name(group), PARTITIONS)
                self._groups[log].append(group)
                self._starts[log].append(self._starts[log][-1] + size)

    def end(self, log: int) -> int:
        """Log end offset."""
        return self._starts[log][-1] * len(self._times)

    def found(self, log: int, moment: int) -> tuple[int, int]:
        """The first offset from a moment on, or for one of Kafka's special times, and its time; -1
        where there is none."""
        if moment in (LATEST, EARLIEST):
            return (self.end(log) if moment == LATEST else 0), -1
        if moment == MAX_TIMESTAMP:
            moment = self._times[-1]
        step = next((n for n, time in enumerate(self._times) if time >= moment), None)
        if step is None or not self._groups[log]:
            return -1, -1
        return step * self._starts[log][-1], self._times[step]

    def read(self, log: int, offset: int, most: int) -> bytes:
        """Batches from the one with ``offset`` on: one, and more up to ``most`` bytes."""
        found: list[bytes] = []
        size, starts = 0, self._starts[log]
        while offset < self.end(log):
            step, inside = divmod(offset, starts[-1])
            place = bisect_right(starts, inside) - 1
            base = step * starts[-1] + starts[place]
            made = self._batch(self._groups[log][place], step, base)
            if found and size + len(made) > most:
                break
            found.append(made)
            size += len(made)
            offset = step * starts[-1] + starts[place + 1]
        return b"".join(found)

    def _batch(self, group: int, step: int, base: int) -> bytes:
        """The commit of a group at a time."""
        rules, time, name = self._rules, self._times[step], group_name(group)
        records: list[Record] = []
        for topic in rules.reads(group):
            own = np.array(rules.partitions_of(topic))
            offsets: Sequence[int] = rules.committed_at(own, time).tolist()
            for p, offset in enumerate(offsets):
                key = encode(OffsetCommitKey(group=name, topic=topic_name(topic), partition=p), 1)
                value = _VALUE.pack(3, offset, -1, 0, time)
                records.append(Record(base + len(records), time, key, value, ()))
        return bytes(build_batch(records, base_offset=base))
