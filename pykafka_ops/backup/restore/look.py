"""What the target of a restore has."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeVar

from pykafka_ops.backup.capture import quotas_of, rules_of
from pykafka_ops.backup.chain import Partition
from pykafka_ops.backup.restore.plan import AtTarget
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.groups import list_groups
from pykafka_ops.client.offsets import LATEST, Offset, list_offsets
from pykafka_ops.client.seeking import committed_by
from pykafka_ops.client.topics import all_topics
from pykafka_ops.errors import KafkaError

T = TypeVar("T")


def look(cluster: Cluster, names: Collection[str], group: str) -> AtTarget:
    """About topics of these names, and the positions that ``group`` has. Raises PkoError."""
    topics = {t.name: len(t.partitions) for t in all_topics(cluster)}
    places = [(t, n) for t in names for n in range(topics.get(t, 0))]
    listed, _ = list_groups(cluster)
    return AtTarget(
        len(cluster.brokers()),
        topics,
        ends_of(cluster, places, LATEST),
        committed_by(cluster, group),
        {name: listing.state for name, listing in listed.items()},
        _known(lambda: set(rules_of(cluster))),
        _known(lambda: {quota.entity for quota in quotas_of(cluster)}),
    )


def ends_of(cluster: Cluster, places: Collection[Partition], which: int) -> dict[Partition, int]:
    """Where logs end, or begin, as ``which`` says (``client.offsets``). Raises PkoError."""
    ends = {}
    for place, answer in list_offsets(cluster, dict.fromkeys(places, which)).items():
        if not isinstance(answer, Offset):
            raise answer
        ends[place] = answer.offset
    return ends


def _known(ask: Callable[[], T]) -> T | None:
    try:
        return ask()
    except KafkaError:
        return None
