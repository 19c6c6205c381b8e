"""Which operations there are on each kind of resource, and what roles need.

Source: ``AclEntry.supportedOperations``, ``AclCommand`` (``--producer``, ``--consumer``,
``--idempotent``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pykafka_ops.security.acls.rules import Operation, ResourceType


def _table(rows: Mapping[ResourceType, str]) -> dict[ResourceType, tuple[Operation, ...]]:
    return {type_: tuple(map(Operation.__getitem__, row.split())) for type_, row in rows.items()}


SUPPORTED: Final = _table({
    ResourceType.TOPIC:
        "READ ALL ALTER_CONFIGS DESCRIBE_CONFIGS DELETE WRITE ALTER CREATE DESCRIBE",
    ResourceType.GROUP: "READ DELETE DESCRIBE ALL",
    ResourceType.CLUSTER:
        "ALL ALTER_CONFIGS DESCRIBE_CONFIGS IDEMPOTENT_WRITE ALTER CLUSTER_ACTION CREATE DESCRIBE",
    ResourceType.TRANSACTIONAL_ID: "WRITE DESCRIBE ALL",
    ResourceType.DELEGATION_TOKEN: "DESCRIBE ALL",
    ResourceType.USER: "DESCRIBE_TOKENS CREATE_TOKENS ALL",
})  # fmt: skip
"""Of Kafka 3.9, in the order in which kafka-acls names them."""
_NEWER: Final = _table({
    ResourceType.GROUP: "DESCRIBE_CONFIGS ALTER_CONFIGS",
    ResourceType.TRANSACTIONAL_ID: "TWO_PHASE_COMMIT",
})  # fmt: skip
KNOWN: Final = {type_: (*known, *_NEWER.get(type_, ())) for type_, known in SUPPORTED.items()}
"""Those of Kafka 4, too."""

PRODUCER: Final = _table({
    ResourceType.TOPIC: "WRITE DESCRIBE CREATE",
    ResourceType.TRANSACTIONAL_ID: "WRITE DESCRIBE",
    ResourceType.CLUSTER: "IDEMPOTENT_WRITE",
})  # fmt: skip
"""What who writes needs; on the cluster only with brokers before 2.8."""
CONSUMER: Final = _table({
    ResourceType.TOPIC: "READ DESCRIBE",
    ResourceType.GROUP: "READ",
})  # fmt: skip
"""What who reads in a group needs."""
ROLES: Final = {"producer": PRODUCER, "consumer": CONSUMER}
