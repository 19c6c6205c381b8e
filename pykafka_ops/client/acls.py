"""Access rules as the brokers have them (KIP-140, KIP-290)."""

from __future__ import annotations

from typing import Final, NamedTuple

from pykafka_ops.client.answers import raise_error
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.wire.messages import describe_acls as da

ANY: Final = 1
RESOURCE_TYPES: Final = {
    2: "TOPIC", 3: "GROUP", 4: "CLUSTER", 5: "TRANSACTIONAL_ID", 6: "DELEGATION_TOKEN", 7: "USER",
}  # fmt: skip
PATTERN_TYPES: Final = {3: "LITERAL", 4: "PREFIXED"}
OPERATIONS: Final = {
    2: "ALL", 3: "READ", 4: "WRITE", 5: "CREATE", 6: "DELETE", 7: "ALTER", 8: "DESCRIBE",
    9: "CLUSTER_ACTION", 10: "DESCRIBE_CONFIGS", 11: "ALTER_CONFIGS", 12: "IDEMPOTENT_WRITE",
    13: "CREATE_TOKENS", 14: "DESCRIBE_TOKENS", 15: "TWO_PHASE_COMMIT",
}  # fmt: skip
PERMISSIONS: Final = {2: "DENY", 3: "ALLOW"}
"""Codes as Kafka's enums have them (org.apache.kafka.common.resource, ...common.acl)."""


class AccessRule(NamedTuple):
    """Who may, or may not, do what with which resource, from which host (``*``: any)."""

    resource_type: str
    resource: str
    pattern: str
    principal: str
    host: str
    operation: str
    permission: str


def describe_acls(cluster: Cluster) -> list[AccessRule]:
    """Every rule, by resource and principal. KafkaError, SECURITY_DISABLED where the cluster has no
    authorizer; PkoError where nobody answers."""
    request = da.DescribeAclsRequest(
        resource_type_filter=ANY,
        resource_name_filter=None,
        pattern_type_filter=ANY,
        principal_filter=None,
        host_filter=None,
        operation=ANY,
        permission_type=ANY,
    )
    answer = cluster.call(request, da.DescribeAclsResponse, name="describeAcls")
    raise_error(answer)
    return sorted(
        AccessRule(
            _named(RESOURCE_TYPES, r.resource_type),
            r.resource_name,
            _named(PATTERN_TYPES, r.pattern_type),
            acl.principal,
            acl.host,
            _named(OPERATIONS, acl.operation),
            _named(PERMISSIONS, acl.permission_type),
        )
        for r in answer.resources
        for acl in r.acls
    )


def _named(names: dict[int, str], code: int) -> str:
    return names.get(code, f"UNKNOWN ({code})")
