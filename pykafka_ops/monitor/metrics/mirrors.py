"""How far mirror links are. One sample for each link, and for topics that are behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pykafka_ops.mirror.report.rows import STATES
from pykafka_ops.monitor.cluster.links import LINK_STATES, MirrorLink
from pykafka_ops.monitor.metrics.lines import MIRRORS, Metric, Number, Samples, Scope

MOST_TOPICS: Final = 100
"""Topics of a link; the worst."""
_PREFIX: Final = "pko_kafka_mirror_"


def _labels(scope: Scope, link: MirrorLink, **more: str) -> str:
    return scope.own(source=link.source, target=link.target, **more)


def _of_links(fact: Callable[[MirrorLink], Number | None]) -> Callable[[Scope], Samples]:
    def samples(scope: Scope) -> Samples:
        for link in scope.view.links:
            yield _labels(scope, link), fact(link)

    return samples


def _states(scope: Scope) -> Samples:
    for link in scope.view.links:
        yield _labels(scope, link, state=link.state), 1


def _partitions(scope: Scope) -> Samples:
    for link in scope.view.links:
        for state in STATES:
            if state in link.counts:
                yield _labels(scope, link, state=state), link.counts[state]


def _of_topics(fact: str) -> Callable[[Scope], Samples]:
    def samples(scope: Scope) -> Samples:
        for link in scope.view.links:
            for row in link.topics[:MOST_TOPICS]:
                if scope.shows_topic(row["topic"]):
                    yield _labels(scope, link, topic=row["topic"]), row[fact]

    return samples


METRICS: Final = (
    Metric(
        f"{_PREFIX}state", f"1 for the state of the link: {', '.join(LINK_STATES)}",
        MIRRORS, _states,
    ),
    Metric(f"{_PREFIX}partitions", "Partitions of the link, by state", MIRRORS, _partitions),
    Metric(
        f"{_PREFIX}lag_records", "Records of the source that are not copied yet", MIRRORS,
        _of_links(lambda link: link.lag),
    ),
    Metric(
        f"{_PREFIX}lag_bytes", "Their bytes, estimated", MIRRORS,
        _of_links(lambda link: link.lag_bytes),
    ),
    Metric(
        f"{_PREFIX}lag_seconds", "How old the first record is that is not copied yet", MIRRORS,
        _of_links(lambda link: link.lag_seconds),
    ),
    Metric(
        f"{_PREFIX}eta_seconds", "Until the link has caught up, at the pace of now", MIRRORS,
        _of_links(lambda link: link.eta_seconds),
    ),
    Metric(
        f"{_PREFIX}copied_per_second", "Records of the source that are copied a second", MIRRORS,
        _of_links(lambda link: link.copied_per_second),
    ),
    Metric(
        f"{_PREFIX}added_per_second", "Records that are written at the source a second", MIRRORS,
        _of_links(lambda link: link.added_per_second),
    ),
    Metric(
        f"{_PREFIX}stalled_seconds", "Since when nothing was copied while records wait", MIRRORS,
        _of_links(lambda link: link.stalled_seconds),
    ),
    Metric(
        f"{_PREFIX}heartbeat_age_seconds", "Since MirrorMaker 2's last heartbeat", MIRRORS,
        _of_links(lambda link: link.heartbeat_seconds),
    ),
    Metric(
        f"{_PREFIX}processes", "Processes that copy", MIRRORS,
        _of_links(lambda link: link.processes),
    ),
    Metric(
        f"{_PREFIX}topic_lag_records", f"Lag by topic, of the {MOST_TOPICS} worst of a link",
        MIRRORS, _of_topics("lag"),
    ),
    Metric(
        f"{_PREFIX}topic_lag_seconds", f"The same in time, of the {MOST_TOPICS} worst of a link",
        MIRRORS, _of_topics("lag_seconds"),
    ),
)  # fmt: skip
"""All of them, by cluster (the target), source and target (aliases of the mirror)."""
