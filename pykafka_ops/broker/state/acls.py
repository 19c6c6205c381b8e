"""Rules about requests for access rules (KIP-140)."""

from __future__ import annotations

from typing import Final

from pykafka_ops.errors import KafkaError, WireError
from pykafka_ops.security.acls.filters import AclFilter
from pykafka_ops.security.acls.rules import (
    CLUSTER_NAME,
    AclBinding,
    AclEntry,
    Operation,
    PatternType,
    Permission,
    ResourcePattern,
    ResourceType,
)
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.create_acls import AclCreation
from pykafka_ops.wire.messages.delete_acls import DeleteAclsFilter
from pykafka_ops.wire.messages.describe_acls import DescribeAclsRequest

UNKNOWN: Final = 0
"""The code of what is no resource type, pattern type, operation or permission type."""

NO_AUTHORIZER: Final = "No Authorizer is configured."


def check_known(*codes: int) -> None:
    """Raises WireError if a code is UNKNOWN: to Kafka such a request is malformed."""
    if UNKNOWN in codes:
        raise WireError("an ACL or a filter has an UNKNOWN element")


def check_binding(rule: AclBinding) -> KafkaError | None:
    """Why a rule cannot be added, in Kafka's words; None if it can."""
    resource = rule.resource
    if resource.type == ResourceType.CLUSTER and resource.name != CLUSTER_NAME:
        text = f"The only valid name for the CLUSTER resource is {CLUSTER_NAME}"
    elif not resource.name:
        text = "Invalid empty resource name"
    elif "/" in resource.name or "\0" in resource.name or resource.name in (".", ".."):
        text = "Failed to create ACL"
    else:
        return None
    return KafkaError(ErrorCode.INVALID_REQUEST, text)


def binding_of(asked: AclCreation) -> AclBinding:
    """A rule that a client wants. Raises KafkaError UNKNOWN_SERVER_ERROR, as Kafka's
    IllegalArgumentException, for what stands in filters only."""
    try:
        rule = AclBinding(
            ResourcePattern(
                ResourceType(asked.resource_type),
                asked.resource_name,
                PatternType(asked.resource_pattern_type),
            ),
            AclEntry(
                asked.principal,
                asked.host,
                Operation(asked.operation),
                Permission(asked.permission_type),
            ),
        )
    except ValueError as error:
        raise WireError(f"an ACL has an UNKNOWN element: {error}") from error
    resource, entry = rule
    if (
        resource.type == ResourceType.ANY
        or resource.pattern not in (PatternType.LITERAL, PatternType.PREFIXED)
        or entry.operation == Operation.ANY
        or entry.permission == Permission.ANY
    ):
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
    return rule


def filter_of(asked: DescribeAclsRequest | DeleteAclsFilter) -> AclFilter:
    """What a client's filter means. Raises WireError for codes that Kafka does not know."""
    try:
        return AclFilter(
            ResourceType(asked.resource_type_filter),
            asked.resource_name_filter,
            PatternType(asked.pattern_type_filter),
            asked.principal_filter,
            asked.host_filter,
            Operation(asked.operation),
            Permission(asked.permission_type),
        )
    except ValueError as error:
        raise WireError(f"a filter has an UNKNOWN element: {error}") from error
