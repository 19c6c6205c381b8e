"""A cluster's tables in pages of bounded size: what one task asks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeVar

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.groups import list_groups
from pykafka_ops.client.topic_sizes import topic_sizes
from pykafka_ops.spark.sources.log.plan import grouped
from pykafka_ops.spark.sources.options import SourceOptions

PARTITIONS_AT_ONCE: Final = 20_000
BROKERS_AT_ONCE: Final = 16
GROUPS_AT_ONCE: Final = 2_000
"""What a page has at most, which bounds the answers that a task holds."""
T = TypeVar("T")


class TablePage(NamedTuple):
    """Names of topics or groups, or ids of brokers; ``whole``: the table has no other page."""

    names: tuple[str, ...] = ()
    brokers: tuple[int, ...] = ()
    whole: bool = True


def one_page(cluster: Cluster, options: SourceOptions) -> list[TablePage]:
    """A small table."""
    return [TablePage()]


def of_topics(cluster: Cluster, options: SourceOptions) -> list[TablePage]:
    """The topics that ``subscribe`` or ``subscribePattern`` means."""
    names = options.names("subscribe", "subscribePattern")
    sizes = ((name, count) for name, count in topic_sizes(cluster).items() if name in names)
    pages = _cut(sizes, PARTITIONS_AT_ONCE)
    return [TablePage(names=page, whole=len(pages) == 1) for page in pages]


def of_brokers(cluster: Cluster, options: SourceOptions) -> list[TablePage]:
    """All brokers."""
    pages = _cut(((b, 1) for b in sorted(cluster.brokers())), BROKERS_AT_ONCE)
    return [TablePage(brokers=page, whole=len(pages) == 1) for page in pages]


def of_groups(cluster: Cluster, options: SourceOptions) -> list[TablePage]:
    """The groups meant, sorted; raises where no broker lists its groups."""
    found, failed = list_groups(cluster)
    if failed and len(failed) == len(cluster.nodes):
        raise next(iter(failed.values()))
    names = options.names("groups", "groupsPattern").among(found)
    pages = _cut(((name, 1) for name in names), GROUPS_AT_ONCE)
    return [TablePage(names=page, whole=len(pages) == 1) for page in pages]


def _cut(items: Iterable[tuple[T, int]], room: int) -> list[tuple[T, ...]]:
    """At least one page, so that somebody is asked, and refused, in any case."""
    return [tuple(page) for page in grouped(items, room)] or [()]
