"""Metrics of groups and of the offset map, in the process that translates; see
docs/mirror-failover.md. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pykafka_ops.metrics.family import Book, Labels
from pykafka_ops.mirror.settings.model import LinkSettings

_PREFIX: Final = "pko_mirror_"


def add_offsets(book: Book, link: LinkSettings, said: Mapping[str, Any]) -> None:
    """Add what ``OffsetDuty.status`` says; nothing where another process translates."""
    if not said:
        return
    labels = Labels(source=link.source, target=link.target)
    for state, count in said["groups"].items():
        book.plain(_PREFIX + "groups", "consumer groups, by how they are at the target").add(
            count, Labels(source=link.source, target=link.target, state=state)
        )
    plain = (
        ("groups_ahead", said["groups_ahead"], "groups that have read what is not copied yet"),
        ("map_partitions", said["map"]["partitions"], "partitions of the offset map"),
        ("map_runs", said["map"]["runs"], "runs of the offset map in memory"),
        ("offset_troubles", len(said["troubles"]), "what could not be done for groups or the map"),
    )
    for name, value, what in plain:
        book.plain(_PREFIX + name, what).add(value, labels)
