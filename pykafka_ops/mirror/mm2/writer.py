"""Writes what MirrorMaker 2 would: heartbeats, checkpoints and offset syncs of one link.

So Apache Kafka's RemoteClusterUtils and MirrorClient work with a mirror of ours, and MirrorMaker 2
can take over from it. Source: MirrorHeartbeatTask, MirrorCheckpointTask, MirrorSourceTask.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.mirror.groups.translation import TranslatedCommit
from pykafka_ops.mirror.mm2 import formats
from pykafka_ops.mirror.mm2.internal_topics import CompactedTopic
from pykafka_ops.mirror.naming import Naming
from pykafka_ops.mirror.offsets.reader import MapReader
from pykafka_ops.mirror.settings.model import LinkSettings

OFF: Final = "off"


class Mm2Writer:
    """The internal topics of a link. All methods raise PkoError where a topic cannot be written."""

    def __init__(self, source: Cluster, target: Cluster, link: LinkSettings) -> None:
        self.link = link
        factor = link.replication_factor
        name = formats.checkpoints_topic(link.source, link.separator)
        self._heartbeats = [
            (CompactedTopic(target, formats.HEARTBEATS, factor), link.source, link.target),
            (CompactedTopic(source, formats.HEARTBEATS, factor), link.target, link.source),
        ]
        self._checkpoints = CompactedTopic(target, name, factor)
        self._syncs = _syncs_topic(source, target, link)
        self._naming = Naming.of(link)
        self._said: dict[bytes, bytes] = {}

    def heartbeat(self, now_ms: int) -> None:
        """Beat at both ends, as MirrorMaker 2 does: what beats at the source is mirrored."""
        for topic, source, target in self._heartbeats:
            topic.write([formats.heartbeat(source, target, now_ms)], now_ms)

    def checkpoints(
        self, groups: Iterable[tuple[str, Iterable[TranslatedCommit]]], now_ms: int
    ) -> int:
        """Say where groups would go on; how many partitions have changed since."""
        entries = [
            _checkpoint(group, place) for group, places in groups for place in places
            if place.target >= 0
        ]  # fmt: skip
        return self._write(self._checkpoints, entries, now_ms)

    def offset_syncs(self, reader: MapReader, now_ms: int) -> int:
        """Say of each partition which record was copied last; how many have changed since."""
        entries = []
        if self._syncs is None:
            return 0
        for (topic, partition), kept in reader.maps.items():
            last, name = kept.runs.last, self._naming.source_topic(topic)
            if last is None or name is None:
                continue
            behind = last.length - 1
            value = formats.OffsetSyncValue(
                upstream=last.source + behind, downstream=last.target + behind
            )
            key = formats.OffsetSyncKey(topic=name, partition=partition)
            entries.append(formats.offset_sync(key, value))
        return self._write(self._syncs, entries, now_ms)

    def _write(self, topic: CompactedTopic, entries: list[formats.Entry], now_ms: int) -> int:
        """Write what was not said before."""
        new = [(key, value) for key, value in entries if self._said.get(key) != value]
        topic.write(new, now_ms)
        self._said.update(new)
        return len(new)


def _syncs_topic(source: Cluster, target: Cluster, link: LinkSettings) -> CompactedTopic | None:
    if link.offset_syncs == OFF:
        return None
    at_source = link.offset_syncs == "source"
    other = link.target if at_source else link.source
    name = formats.offset_syncs_topic(other, link.separator)
    return CompactedTopic(source if at_source else target, name, link.replication_factor)


def _checkpoint(group: str, place: TranslatedCommit) -> formats.Entry:
    key = formats.CheckpointKey(group=group, topic=place.topic, partition=place.partition)
    value = formats.CheckpointValue(
        upstream=place.source - place.ahead, downstream=place.target, metadata=place.metadata
    )
    return formats.checkpoint(key, value)
