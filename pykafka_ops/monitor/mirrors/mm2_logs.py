"""Links of MirrorMaker 2: its heartbeats, and where Connect keeps how far it has copied.

Source: MirrorHeartbeatTask, MirrorUtils.wrapPartition; ``mirror.mm2`` has the formats.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from typing import Final

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.failure_text import in_one_line
from pykafka_ops.client.fetch import FetchedBatches, committed_from, end_of, fetch
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import CorruptError, KafkaError, PkoError
from pykafka_ops.mirror.mm2.connect_offsets import positions_of
from pykafka_ops.mirror.mm2.formats import (
    HEARTBEATS,
    checkpoints_topic,
    connect_offsets_topic,
    read_heartbeat,
)
from pykafka_ops.monitor.cluster.answers import Partition
from pykafka_ops.monitor.cluster.links import MM2
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.mirrors.found import LinkFound, sources_named
from pykafka_ops.wire.codes import ErrorCode

BEATS_BACK: Final = 200
"""Records before the end of a topic of heartbeats that are looked at first."""
PART_BYTES: Final = 256 << 10
MOST_READS: Final = 20
"""Answers of one topic that a round reads: more wait for the next."""
Beats = dict[tuple[str, str], int]
"""The newest heartbeat (ms) by the aliases of source and target."""


class Mm2Logs:
    """Of one cluster; used by the thread that asks it."""

    def __init__(self) -> None:
        self._logs: dict[str, _Log] = {}
        self._beats: dict[str, Beats] = {}
        self._positions: dict[str, dict[Partition, int]] = {}

    def links(
        self, cluster: Cluster, watched: WatchedCluster, others: Collection[str]
    ) -> list[LinkFound]:
        """The links into the cluster, but for those from ``others``: somebody else's mirror may
        write the same topics."""
        view = watched.view
        troubles: dict[str, str] = {}
        beats = self._heard(cluster, view, HEARTBEATS, troubles)
        targets = dict(beats.keys())
        sources = set(sources_named(view.topics or (), connect_offsets_topic("\0")))
        copied: dict[str, Beats] = {}
        for name in view.topics or ():
            source = name[: -len(HEARTBEATS) - 1]
            if name.endswith(f".{HEARTBEATS}") and source not in others:
                copied[source] = self._heard(cluster, view, name, troubles)
        copying = set(sources_named(view.topics or (), checkpoints_topic("\0")))
        copying |= {source for source, heard in copied.items() if heard}
        found = []
        for source in sorted((sources | copying) - set(others)):
            positions = self._copied(cluster, view, source, troubles)
            if not positions and source not in copying:
                continue  # made for heartbeats alone: Connect runs for links that are switched off
            target = targets.get(source, view.name)
            found.append(
                LinkFound(
                    MM2,
                    source,
                    target,
                    positions=positions,
                    beat_ms=beats.get((source, target)),
                    copied_beat_ms=max(copied.get(source, {}).values(), default=None),
                    troubles=[text for name, text in troubles.items() if source in name],
                )
            )
        return found

    def _heard(
        self, cluster: Cluster, view: ClusterView, topic: str, troubles: dict[str, str]
    ) -> Beats:
        found = self._beats.setdefault(topic, {})
        for key, value in (
            (r.key, r.value) for r in self._new(cluster, view, topic, troubles, back=BEATS_BACK)
        ):
            with suppress(CorruptError):
                who, when = read_heartbeat(bytes(key or b""), bytes(value or b""))
                link = who.source, who.target
                found[link] = max(found.get(link, 0), when.timestamp)
        return found

    def _copied(
        self, cluster: Cluster, view: ClusterView, source: str, troubles: dict[str, str]
    ) -> dict[Partition, int]:
        name = connect_offsets_topic(source)
        found = self._positions.setdefault(source, {})
        found.update(positions_of(self._new(cluster, view, name, troubles), source))
        return found

    def _new(
        self,
        cluster: Cluster,
        view: ClusterView,
        topic: str,
        troubles: dict[str, str],
        back: int | None = None,
    ) -> list[Record]:
        """What came since; ``back``: from so many records before the end on. [] where there is no
        such topic."""
        watched = (view.topics or {}).get(topic)
        if watched is None:
            self._logs.pop(topic, None)
            self._beats.pop(topic, None)
            return []
        log = self._logs.get(topic)
        if log is None or log.id != watched.description.id:
            log = self._logs[topic] = _Log(watched.description.id)
        records, trouble = log.read(cluster, topic, watched.starts, watched.ends, back)
        if trouble:
            troubles[topic] = f"{topic} could not be read: {trouble}"
        return records


class _Log:
    """A topic that is read on where it has grown."""

    def __init__(self, id_: bytes) -> None:
        self.id = id_
        self._next: dict[int, int] = {}

    def read(
        self,
        cluster: Cluster,
        topic: str,
        starts: Collection[int],
        ends: Collection[int],
        back: int | None,
    ) -> tuple[list[Record], str]:
        """New records, and why there may be more ("": there are none)."""
        for n, (start, end) in enumerate(zip(starts, ends, strict=False)):
            if n not in self._next and start >= 0 and end >= 0:
                self._next[n] = start if back is None else max(start, end - back)
        limits = {n: end for n, end in enumerate(ends) if n in self._next}
        found: list[Record] = []
        for _ in range(MOST_READS):
            wanted = {(topic, n): at for n, at in self._next.items() if at < limits.get(n, 0)}
            if not wanted:
                break
            answers = fetch(cluster, wanted, partition_bytes=PART_BYTES, read_committed=True)
            for (_, n), answer in answers.items():
                trouble = self._take(n, answer, found)
                if trouble:
                    return found, trouble
            if all(self._next.get(n) == at for (_, n), at in wanted.items()):
                break
        return found, ""

    def _take(self, n: int, answer: FetchedBatches | PkoError, found: list[Record]) -> str:
        at = self._next[n]
        if isinstance(answer, PkoError):
            if isinstance(answer, KafkaError) and answer.code == ErrorCode.OFFSET_OUT_OF_RANGE:
                del self._next[n]
                return ""
            return in_one_line(answer)
        try:
            found.extend(committed_from(answer.records, at, answer.aborted))
        except CorruptError as error:
            return str(error)
        self._next[n] = max(at, end_of(answer.records, at))
        return ""
