"""Metrics as Prometheus' text, line by line as they are made: a million samples are never held.

Text format 0.0.4. All samples of a metric stand together, those of several clusters, too.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import Final, NamedTuple

from pykafka_ops.metrics.family import Labels, MetricKind
from pykafka_ops.monitor.burrow.judged import JudgedGroup
from pykafka_ops.monitor.cluster.view import ClusterView, WatchedGroup, WatchedTopic
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.metrics.settings import MetricsSettings
from pykafka_ops.monitor.probes.names import is_passing

BROKERS, TOPICS, GROUPS, MONITOR, PROBES = "brokers", "topics", "groups", "monitor", "probes"
MIRRORS, AUDITS = "mirrors", "audits"
PARTS: Final = (BROKERS, TOPICS, GROUPS, MONITOR, PROBES, MIRRORS, AUDITS)
"""What ``collect[]`` may ask for."""
LINES: Final = 1000
"""Lines of a slice of the text."""
Number = int | float
Samples = Iterator[tuple[str, Number | None]]
"""Labels as they are written, and the value; None: not known, and so left out."""


class Scope:
    """One cluster of a scrape: what is shown of it. ``more`` are labels of every sample."""

    def __init__(
        self,
        watched: WatchedCluster,
        view: ClusterView,
        settings: MetricsSettings,
        more: Mapping[str, str],
    ) -> None:
        self.watched, self.view, self._settings = watched, view, settings
        self._more = dict(more)
        self.judged: dict[str, JudgedGroup] | None = None
        """Groups by Burrow's rules, once they are asked for."""
        self.tail = f",{Labels(**more).text[1:]}" if more else "}"
        """How the labels of a sample end that begin with ``head``."""
        self.topics: dict[str, WatchedTopic] = {
            name: topic
            for name, topic in (view.topics or {}).items()
            if settings.has_topic(name) and not is_passing(name)
        }
        self.groups: dict[str, WatchedGroup] = {
            name: group
            for name, group in (view.groups or {}).items()
            if settings.has_group(name) and not is_passing(name)
        }

    def labels(self, **pairs: str | int) -> str:
        """All labels of a sample."""
        return Labels(**pairs, **self._more).text

    def own(self, **pairs: str | int) -> str:
        """The labels of a sample whose metric always has the cluster, as its first label."""
        return Labels(cluster=self.view.name, **pairs).text

    def head(self, **pairs: str | int) -> str:
        """The first labels of a sample; others follow, then ``tail``."""
        return Labels(**pairs).text[:-1]

    def committed(self, group: str) -> Iterator[tuple[str, array[int]]]:
        """The offsets of a group by topic, -1 where there is none."""
        for topic, offsets in self.watched.committed(group).items():
            if self._settings.has_topic(topic):
                yield topic, offsets

    def shows_topic(self, topic: str) -> bool:
        """Whether the topic is shown."""
        return self._settings.has_topic(topic)

    def end(self, topic: str, partition: int) -> int | None:
        """Where a log ends; None where that is not known."""
        found = self.topics.get(topic)
        return None if found is None else known(found.ends, partition)


def known(offsets: Sequence[int], partition: int) -> int | None:
    """An offset by partition; None where nobody said."""
    if partition >= len(offsets) or offsets[partition] < 0:
        return None
    return offsets[partition]


class Metric(NamedTuple):
    """A metric: its whole name, what it is, the part it belongs to, where its samples come from.
    ``fine``: there is one for each partition."""

    name: str
    what: str
    part: str
    samples: Callable[[Scope], Samples]
    kind: MetricKind = MetricKind.GAUGE
    fine: bool = False


def text(metrics: Iterable[Metric], scopes: Sequence[Scope]) -> Iterator[str]:
    """The text in slices; a metric without samples is left out."""
    lines: list[str] = []
    for metric in metrics:
        name = metric.name
        head = [f"# HELP {name} {metric.what}", f"# TYPE {name} {metric.kind.value}"]
        for scope in scopes:
            for labels, value in metric.samples(scope):
                if value is None:
                    continue
                if head:
                    lines += head
                    head = []
                lines.append(f"{name}{labels} {value if value != inf else '+Inf'}")
                if len(lines) >= LINES:
                    yield "\n".join(lines) + "\n"
                    lines = []
    if lines:
        yield "\n".join(lines) + "\n"
