"""Rules about requests for access rules (KIP-140)."""

from __future__ import annotations

import re
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

_NOT_IN_PATHS: Final = re.compile(r"[\0-\x1f\x7f-\x9f\ud800-\uf8ff\ufff0-\uffff]").search
"""ZooKeeper's ``PathUtils.validatePath``."""

NO_AUTHORIZER: Final = "No Authorizer is configured."


def check_known(*codes: int) -> None:
    """Raises WireError if a code is UNKNOWN: to Kafka such a request is malformed."""
    if UNKNOWN in codes:
        raise WireError("an ACL or a filter has an UNKNOWN element")


def check_binding(rule: AclBinding) -> KafkaError | None:
    """Why a rule cannot be added, with Kafka's code; None if it can."""
    resource, code = rule.resource, ErrorCode.INVALID_REQUEST
    if resource.type == ResourceType.CLUSTER and resource.name != CLUSTER_NAME:
        text = f"The only valid name for the CLUSTER resource is {CLUSTER_NAME}"
    elif not resource.name:
        text = "Invalid empty resource name"
    elif UNKNOWN in (*resource, *rule.entry) or "/" in resource.name:
        text = "Failed to create ACL"
    elif ":" not in rule.entry.principal:
        text = "A principal is written as type:name, for example User:alice"
        code = ErrorCode.UNKNOWN_SERVER_ERROR
    elif resource.name in (".", "..") or _NOT_IN_PATHS(resource.name):
        text = "The resource's name has characters that ZooKeeper does not take, or is . or .."
        code = ErrorCode.UNKNOWN_SERVER_ERROR
    else:
        return None
    return KafkaError(code, text)


def binding_of(asked: AclCreation) -> AclBinding:
    """A rule that a client wants, as far as its codes are known. Raises KafkaError
    UNKNOWN_SERVER_ERROR, as Kafka's IllegalArgumentException, for what stands in filters only."""
    rule = AclBinding(
        ResourcePattern(
            ResourceType.of(asked.resource_type),
            asked.resource_name,
            PatternType.of(asked.resource_pattern_type),
        ),
        AclEntry(
            asked.principal,
            asked.host,
            Operation.of(asked.operation),
            Permission.of(asked.permission_type),
        ),
    )
    resource, entry = rule
    if (
        resource.type == ResourceType.ANY
        or resource.pattern in (PatternType.ANY, PatternType.MATCH)
        or entry.operation == Operation.ANY
        or entry.permission == Permission.ANY
    ):
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR)
    return rule


def filter_of(asked: DescribeAclsRequest | DeleteAclsFilter) -> AclFilter:
    """What a client's filter means; codes that are not known fit nothing."""
    return AclFilter(
        ResourceType.of(asked.resource_type_filter),
        asked.resource_name_filter,
        PatternType.of(asked.pattern_type_filter),
        asked.principal_filter,
        asked.host_filter,
        Operation.of(asked.operation),
        Permission.of(asked.permission_type),
    )
