"""Partitions read from a cluster, as a consumer with read_committed reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from pykafka_ops.audit.counting import LogFeed
from pykafka_ops.audit.source import AuditPlace, PartitionKey, PlaceReading, Settle
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.configs import TOPIC, ConfigResource, describe_configs
from pykafka_ops.client.fetch import FetchedBatches, fetch
from pykafka_ops.client.offsets import EARLIEST, LATEST, Offset, list_offsets
from pykafka_ops.client.topics import all_topics
from pykafka_ops.errors import PkoError, StorageError

_PARTITION_BYTES: Final = 2 << 20
_SETTLE: Final = 64 << 20
"""Bytes after which what was counted of a partition is kept."""


class AuditedCluster:
    """A cluster."""

    def __init__(
        self,
        cluster: Cluster,
        now_ms: Callable[[], int],
        compacted: Callable[[str], bool] = lambda topic: False,
    ) -> None:
        self._cluster, self._now_ms, self._compacted = cluster, now_ms, compacted

    def places(
        self, wanted: Callable[[str], bool]
    ) -> tuple[Sequence[AuditPlace], Mapping[str, PkoError]]:
        """As ``PartitionSource``. Raises PkoError where the cluster does not answer."""
        topics = [topic for topic in all_topics(self._cluster) if wanted(topic.name)]
        keys = [(topic.name, p.number) for topic in topics for p in topic.partitions]
        ids = {topic.name: topic.id.hex() if any(topic.id) else "" for topic in topics}
        if not keys:
            return [], {}
        cleaned = self._cleaned([topic.name for topic in topics])
        now = self._now_ms()
        starts = list_offsets(self._cluster, dict.fromkeys(keys, EARLIEST))
        ends = list_offsets(self._cluster, dict.fromkeys(keys, LATEST), read_committed=True)
        log_ends = list_offsets(self._cluster, dict.fromkeys(keys, LATEST))
        found, failed = [], {}
        for key in keys:
            start, end, last = starts[key], ends[key], log_ends[key]
            if isinstance(start, Offset) and isinstance(end, Offset) and isinstance(last, Offset):
                topic, number = key
                offsets = (start.offset, max(start.offset, end.offset), last.offset)
                compacted = topic in cleaned or self._compacted(topic)
                found.append(AuditPlace(topic, number, ids[topic], *offsets, now, compacted))
                continue
            error = next(e for e in (start, end, last) if isinstance(e, PkoError))
            failed[f"{key[0]}-{key[1]}"] = error
        return found, failed

    def _cleaned(self, topics: Sequence[str]) -> set[str]:
        """Those of the topics that are compacted, as far as this login may know it."""
        resources = [ConfigResource(TOPIC, name) for name in topics]
        answers = describe_configs(self._cluster, resources, keys=("cleanup.policy",))
        return {
            resource.name
            for resource, entries in answers.items()
            if not isinstance(entries, PkoError)
            and any("compact" in (entry.value or "") for entry in entries)
        }

    def read(
        self, readings: Sequence[PlaceReading], settle: Settle
    ) -> Mapping[PartitionKey, PkoError]:
        """As ``PartitionSource``."""
        going = {r.place.key: _Going(r) for r in readings}
        failed: dict[PartitionKey, PkoError] = {}
        while going:
            before = {key: one.feed.position for key, one in going.items()}
            for key, answer in self._fetch(before).items():
                if not self._take(going[key], answer, settle, failed):
                    del going[key]
            stuck = next((k for k, one in going.items() if one.feed.position == before[k]), None)
            if stuck is not None and len(before) > 1:
                self._alone(going, stuck, settle, failed)
            elif stuck is not None:
                _skip(going, stuck, settle)
        return failed

    def _fetch(
        self, at: Mapping[PartitionKey, int]
    ) -> Mapping[PartitionKey, FetchedBatches | PkoError]:
        return fetch(self._cluster, at, partition_bytes=_PARTITION_BYTES, read_committed=True)

    def _alone(
        self,
        going: dict[PartitionKey, _Going],
        key: PartitionKey,
        settle: Settle,
        failed: dict[PartitionKey, PkoError],
    ) -> None:
        """Ask for a partition by itself: of that, the next batch comes however large it is."""
        one = going[key]
        position = one.feed.position
        if not self._take(one, self._fetch({key: position})[key], settle, failed):
            del going[key]
        elif one.feed.position == position:
            _skip(going, key, settle)

    @staticmethod
    def _take(
        one: _Going,
        answer: FetchedBatches | PkoError,
        settle: Settle,
        failed: dict[PartitionKey, PkoError],
    ) -> bool:
        """Count what a leader gave; whether there may be more."""
        try:
            one.take(answer)
            if one.feed.done or one.unsettled >= _SETTLE or one.feed.taker.is_full:
                settle(one.feed, one.reading)
                one.unsettled = 0
        except PkoError as error:
            failed[one.reading.place.key] = error
            return False
        return not one.feed.done


class _Going:
    """A partition that is being read."""

    def __init__(self, reading: PlaceReading) -> None:
        self.reading = reading
        self.feed = LogFeed(reading.taker, reading.first, reading.stop)
        self.unsettled = 0

    def take(self, answer: FetchedBatches | PkoError) -> None:
        """Count what a leader gave. Raises PkoError."""
        if isinstance(answer, PkoError):
            raise answer
        if answer.log_start_offset > self.feed.position:
            raise StorageError(
                f"records up to offset {answer.log_start_offset} were deleted before they could "
                "be counted; collect again"
            )
        self.unsettled += self.feed.feed(answer.records, answer.aborted)


def _skip(
    going: dict[PartitionKey, _Going],
    key: PartitionKey,
    settle: Settle,
) -> None:
    """There is no record left up to the end: compaction took the last ones."""
    one = going.pop(key)
    one.feed.position = one.feed.stop
    settle(one.feed, one.reading)
