"""Mirror links between the watched clusters: asked for beside the rounds of each target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.mirror.report.rows import SeenPartition
from pykafka_ops.monitor.cluster.answers import Partition
from pykafka_ops.monitor.cluster.links import MirrorLink
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.mirrors.found import LinkFound
from pykafka_ops.monitor.mirrors.judge import LinkJudge
from pykafka_ops.monitor.mirrors.mm2_logs import Mm2Logs
from pykafka_ops.monitor.mirrors.own_logs import OwnLogs

MOST_LINKS: Final = 200
"""Into one cluster."""


class MirrorWatch:
    """``watched`` are all clusters of the monitor, by name; it may grow until the first round."""

    def __init__(self, watched: Mapping[str, WatchedCluster]) -> None:
        self._watched = watched
        self._sites: dict[str, _Site] = {}

    def look(self, cluster: Cluster, watched: WatchedCluster) -> None:
        """The links into a cluster, after a round of it and in its thread. PkoError."""
        name = watched.view.name
        site = self._sites.setdefault(name, _Site())
        site.look(cluster, watched, self._watched)


class _Site:
    """The links into one cluster."""

    def __init__(self) -> None:
        self._own, self._mm2 = OwnLogs(), Mm2Logs()
        self._judges: dict[str, LinkJudge] = {}
        self._sources: dict[str, WatchedCluster] = {}

    def look(
        self, cluster: Cluster, watched: WatchedCluster, every: Mapping[str, WatchedCluster]
    ) -> None:
        own = self._own.links(cluster, watched)
        others = self._mm2.links(cluster, watched, {link.source for link in own})
        found = {link.name: link for link in (*own, *others)[:MOST_LINKS]}
        links: list[MirrorLink] = []
        rows: dict[str, list[SeenPartition]] = {}
        sources: dict[str, WatchedCluster] = {}
        for name, link in found.items():
            source = source_of(link, every)
            if source is not None:
                sources[name] = source
            judge = self._judges.setdefault(name, LinkJudge())
            made, rows[name] = judge.judge(link, watched.view, source, _sizes(source))
            links.append(made)
        self._follow(watched.view, sources, rows)
        self._judges = {name: judge for name, judge in self._judges.items() if name in found}
        watched.tell_links(links, rows)

    def _follow(
        self,
        view: ClusterView,
        sources: Mapping[str, WatchedCluster],
        rows: Mapping[str, list[SeenPartition]],
    ) -> None:
        """Have the sources ask for the ends of what is copied from them."""
        for name, before in self._sources.items():
            if sources.get(name) is not before:
                before.copied.follow((view.name, name), ())
        for name, source in sources.items():
            source.copied.follow((view.name, name), {row.topic for row in rows[name]})
        self._sources = dict(sources)


def source_of(link: LinkFound, every: Mapping[str, WatchedCluster]) -> WatchedCluster | None:
    """The watched cluster that a link copies: by the id that the mirror has noted, where it has
    none by the alias. None: nobody watches it, or it has not answered yet."""
    noted = link.control.source_cluster
    if noted is None:
        return every.get(link.source)
    alike = [watched for watched in every.values() if watched.view.cluster_id == noted]
    named = [watched for watched in alike if watched.view.name == link.source]
    return next(iter((*named, *alike)), None)


def _sizes(source: WatchedCluster | None) -> dict[Partition, int]:
    """Bytes of the largest replica of each partition that a broker described."""
    found: dict[Partition, int] = {}
    if source is None:
        return found
    copied = source.copied.topics
    for described in (source.view.dirs or {}).values():
        for replica in (r for d in described for r in d.replicas if r.topic in copied):
            place = replica.topic, replica.partition
            found[place] = max(found.get(place, 0), replica.size)
    return found
