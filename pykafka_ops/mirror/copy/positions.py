"""Up to where a link has copied, as its group's commits at the target say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_offsets import Committed, fetch_offsets
from pykafka_ops.client.leaders import Partition
from pykafka_ops.errors import PkoError
from pykafka_ops.mirror.copy.tasks import note_of
from pykafka_ops.mirror.naming import Naming
from pykafka_ops.wire.types import ZERO_UUID

Copies = Mapping[Partition, tuple[Partition, bytes]]
"""By partition of the source: that of the target, and the id of the source's topic."""


def copied_to(
    target: Cluster, group: str, copies: Copies, starts: Mapping[Partition, int]
) -> dict[Partition, int]:
    """By partition of the source, the offset that is copied next; those that were never copied are
    left out. Raises PkoError.

    A position that is of another topic of that name says nothing: one that was made anew is copied
    from its beginning, which ``starts`` has.
    """
    found = positions_of(target, group)
    return {
        source: starts.get(source, 0) if _is_of_another(known, topic_id) else known.offset
        for source, (copy, topic_id) in copies.items()
        if (known := found.get(copy)) is not None
    }


def copied_of(
    positions: Mapping[Partition, Committed], ids: Mapping[str, bytes]
) -> dict[Partition, int]:
    """Of ``positions``, by partition of the target, the source's offset that is copied next.

    ``ids``: by topic of the target, the id of the source's. What was copied of another topic of
    that name, before it was made anew, is left out; a topic without an id here is not asked for.
    """
    return {
        copy: known.offset
        for copy, known in positions.items()
        if not _is_of_another(known, ids.get(copy[0], ZERO_UUID))
    }


def source_ids(source: Cluster, naming: Naming, topics: Iterable[str]) -> dict[str, bytes]:
    """The ids that the source's topics have now, by their names at the target: ``topics``. Raises
    PkoError."""
    names = {found: topic for topic in topics if (found := naming.source_topic(topic)) is not None}
    topics_now = source.metadata(sorted(names)).topics if names else []
    return {
        names[topic.name]: topic.topic_id
        for topic in topics_now
        if topic.name in names and not topic.error_code
    }


def positions_of(target: Cluster, group: str) -> dict[Partition, Committed]:
    """By partition of the target, what a link's group has committed. Raises PkoError."""
    found = fetch_offsets(target, [group])[group]
    if isinstance(found, PkoError):
        raise found
    return {copy: known for copy, known in found.items() if isinstance(known, Committed)}


def _is_of_another(position: Committed, topic_id: bytes) -> bool:
    """Whether a position says that it is of a topic with another id."""
    of = note_of(position).topic_id
    return ZERO_UUID not in (of, topic_id) and of != topic_id
