"""Groups of every kind, each asked for by the API that knows it, many in a request."""

from __future__ import annotations

from collections.abc import Mapping

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_describe import (
    SHARE,
    STREAMS,
    GroupDescription,
    describe_groups,
    describe_kind,
    reading,
)
from pykafka_ops.client.groups import GroupListing
from pykafka_ops.client.topics import TopicDescription
from pykafka_ops.errors import PkoError


def kind_of(listed: GroupListing) -> str:
    """``SHARE``, ``STREAMS``, or the type of a group as its broker has it ("": it did not say)."""
    return next(
        (k for k in (SHARE, STREAMS) if listed.type.casefold() == k.casefold()), listed.type
    )


def describe_every_kind(
    cluster: Cluster,
    groups: Mapping[str, GroupListing],
    topics: Mapping[str, TopicDescription],
) -> dict[str, GroupDescription | PkoError]:
    """Each group, or the PkoError that stands for it. ``topics`` say how many partitions streams
    groups read."""
    special: dict[str, list[str]] = {SHARE: [], STREAMS: []}
    others: list[str] = []
    for name, listed in groups.items():
        special.get(kind_of(listed), others).append(name)
    found = describe_groups(cluster, others) if others else {}
    for kind, names in special.items():
        if names:
            found.update(describe_kind(cluster, names, kind))
    counts = {name: len(topic.partitions) for name, topic in topics.items()}
    return {
        name: reading(group, counts)
        if isinstance(group, GroupDescription) and group.topology
        else group
        for name, group in found.items()
    }
