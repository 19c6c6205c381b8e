"""Links of ``pko mirror``: the control topics at the target are read on where they have grown; what
is committed, and who copies, the rounds know already."""

from __future__ import annotations

from typing import NamedTuple

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.failure_text import in_one_line
from pykafka_ops.errors import PkoError
from pykafka_ops.mirror.control.state import ControlState
from pykafka_ops.mirror.control.topic import ControlTopic
from pykafka_ops.mirror.naming import control_topic, link_id
from pykafka_ops.monitor.cluster.links import PKO
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.mirrors.found import LinkFound, link_of_group, sources_named


class _Control(NamedTuple):
    """A control topic as it was read, up to its end then; ``trouble``: why it could not be."""

    topic: ControlTopic
    seen: tuple[bytes, int]
    state: ControlState
    trouble: str


class OwnLogs:
    """Of one cluster; used by the thread that asks it."""

    def __init__(self) -> None:
        self._controls: dict[str, _Control] = {}

    def links(self, cluster: Cluster, watched: WatchedCluster) -> list[LinkFound]:
        """The links into the cluster that are not over."""
        view, groups = watched.view, watched.mirror_groups()
        sources = sources_named(view.topics or (), control_topic("\0"))
        for gone in self._controls.keys() - set(sources):
            del self._controls[gone]
        links = {link_of_group(group, sources) for group in groups or ()}
        have = {source for source, _ in links}
        links |= {(source, view.name) for source in sources if source not in have}
        found = [self._link(cluster, watched, *link) for link in sorted(links)]
        return [one for one in found if not one.is_over]

    def _link(
        self, cluster: Cluster, watched: WatchedCluster, source: str, target: str
    ) -> LinkFound:
        group, groups = link_id(source, target), watched.mirror_groups()
        control = self._control(cluster, watched.view, source)
        members, is_sharing = None, False
        if groups is not None:
            described = groups.get(group)
            members = described.members if described is not None else None
            is_sharing = described is not None and "Rebalance" in described.state
            if group not in groups:
                members = ()
        return LinkFound(
            PKO,
            source,
            target,
            control.state if control is not None else ControlState(),
            watched.committed(group),
            members,
            is_sharing,
            troubles=[control.trouble] if control is not None and control.trouble else [],
        )

    def _control(self, cluster: Cluster, view: ClusterView, source: str) -> _Control | None:
        """None where there is no such topic."""
        name = control_topic(source)
        topic = (view.topics or {}).get(name)
        if topic is None:
            return None
        known = self._controls.get(source)
        seen = topic.description.id, topic.ends[0] if topic.ends else -1
        if known is not None and (known.seen == seen or seen[1] < 0) and not known.trouble:
            return known
        log = ControlTopic(cluster, source) if known is None else known.topic
        try:
            state, trouble = log.catch_up().snapshot(), ""
        except PkoError as error:
            state = ControlState() if known is None else known.state
            trouble = f"{name} could not be read: {in_one_line(error)}"
        self._controls[source] = _Control(log, seen, state, trouble)
        return self._controls[source]
