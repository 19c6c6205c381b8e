"""What is known of a cluster when a plan is made. Plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from pykafka_ops.client.configs import ConfigEntry
from pykafka_ops.client.quotas import Entity
from pykafka_ops.security.acls.rules import AclBinding


class MirroredTopic(NamedTuple):
    """A topic's id (hex, "" where the broker has none) and how many partitions it has."""

    id: str
    partitions: int


@dataclass(slots=True)
class MirrorFacts:
    """One side. What was not asked, or not answered, is None: nothing is planned for it."""

    cluster_id: str | None
    topics: Mapping[str, MirroredTopic]
    gone: frozenset[str] = frozenset()
    """Topics that were looked up by name, and that the cluster says it does not have."""
    configs: Mapping[str, list[ConfigEntry]] | None = None
    """By topic."""
    acls: list[AclBinding] | None = None
    quotas: Mapping[Entity, Mapping[str, float]] | None = None
    users: Mapping[str, Mapping[str, int]] | None = None
    """Iterations by mechanism."""
    troubles: list[str] = field(default_factory=list)
    """What could not be asked, and why."""
