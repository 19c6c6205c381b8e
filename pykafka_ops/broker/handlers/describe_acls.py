"""DescribeAcls (29), v0-3: the access rules that pass a filter (KIP-140)."""

from __future__ import annotations

from itertools import groupby

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.state.acls import check_known, filter_of
from pykafka_ops.errors import KafkaError
from pykafka_ops.security.acls.rules import AclBinding
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.describe_acls import (
    AclDescription,
    DescribeAclsRequest,
    DescribeAclsResource,
    DescribeAclsResponse,
)


def handle(context: Context, request: DescribeAclsRequest) -> Answer:
    """By resource. Raises WireError for a filter with UNKNOWN elements, KafkaError
    SECURITY_DISABLED where no authorizer is configured."""
    check_known(
        request.resource_type_filter,
        request.pattern_type_filter,
        request.operation,
        request.permission_type,
    )
    acls = context.services.acls
    if acls is None:
        raise KafkaError(ErrorCode.SECURITY_DISABLED, "No Authorizer is configured on the broker")
    by_resource = groupby(acls.find(filter_of(request)), lambda rule: rule.resource)
    return DescribeAclsResponse(
        error_message="",
        resources=[
            DescribeAclsResource(
                resource_type=resource.type,
                resource_name=resource.name,
                pattern_type=resource.pattern,
                acls=[_entry(rule) for rule in rules],
            )
            for resource, rules in by_resource
        ],
    )


def _entry(rule: AclBinding) -> AclDescription:
    entry = rule.entry
    return AclDescription(
        principal=entry.principal,
        host=entry.host,
        operation=entry.operation,
        permission_type=entry.permission,
    )
