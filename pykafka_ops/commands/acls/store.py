"""Where rules are: in a cluster, or (``zookeeper``) in the znodes that brokers read them from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pykafka_ops.client import acls
from pykafka_ops.client.acls import Removed
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.errors import KafkaError
from pykafka_ops.security.acls.filters import AclFilter
from pykafka_ops.security.acls.rules import AclBinding

AT_ONCE = 500
"""Rules in a request: each resource costs the brokers a write to ZooKeeper."""


class RuleStore(Protocol):
    """Reads and changes rules, as the functions of ``client.acls`` do."""

    def describe(self, wanted: AclFilter) -> list[AclBinding]:
        """The rules that the filter means."""
        ...

    def create(self, rules: Sequence[AclBinding]) -> list[KafkaError | None]:
        """Add rules; for each None or what went wrong."""
        ...

    def delete(self, filters: Sequence[AclFilter]) -> list[Removed]:
        """Remove what each filter means."""
        ...


class ClusterRules:
    """Asks the brokers."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    def describe(self, wanted: AclFilter) -> list[AclBinding]:
        """The rules that the filter means. KafkaError, PkoError."""
        return acls.describe_acls(self.cluster, wanted)

    def create(self, rules: Sequence[AclBinding]) -> list[KafkaError | None]:
        """Add rules; for each None or what went wrong. PkoError."""
        parts = [rules[at : at + AT_ONCE] for at in range(0, len(rules), AT_ONCE)]
        return [error for part in parts for error in acls.create_acls(self.cluster, part)]

    def delete(self, filters: Sequence[AclFilter]) -> list[Removed]:
        """Remove what each filter means. PkoError."""
        parts = [filters[at : at + AT_ONCE] for at in range(0, len(filters), AT_ONCE)]
        return [done for part in parts for done in acls.delete_acls(self.cluster, part)]
