"""Access rules: look up, add and remove (KIP-140, KIP-290).

Source: KafkaAdminClient.describeAcls, createAcls, deleteAcls.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from pykafka_ops.client.answers import error_of, raise_error
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.errors import KafkaError
from pykafka_ops.security.acls.filters import AclFilter
from pykafka_ops.security.acls.rules import (
    AclBinding,
    AclEntry,
    Operation,
    PatternType,
    Permission,
    ResourcePattern,
    ResourceType,
)
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages import create_acls as ca
from pykafka_ops.wire.messages import delete_acls as dla
from pykafka_ops.wire.messages import describe_acls as da

EVERY_RULE: Final = AclFilter()


class Removed(NamedTuple):
    """What one filter removed, and for each rule that it meant and that is still there the error;
    ``error`` is that of the filter as a whole."""

    rules: list[AclBinding]
    failed: list[tuple[AclBinding, KafkaError]]
    error: KafkaError | None


def describe_acls(cluster: Cluster, wanted: AclFilter = EVERY_RULE) -> list[AclBinding]:
    """The rules that the filter means, by resource and principal. KafkaError, SECURITY_DISABLED
    where the cluster has no authorizer; PkoError where nobody answers."""
    request = da.DescribeAclsRequest(**_fields(wanted))
    answer = cluster.call(
        request, da.DescribeAclsResponse, name="describeAcls", lowest=_lowest(wanted.pattern)
    )
    raise_error(answer)
    return sorted(_binding(r, acl) for r in answer.resources for acl in r.acls)


def create_acls(cluster: Cluster, rules: Sequence[AclBinding]) -> list[KafkaError | None]:
    """Add rules; for each, in their order, None or what went wrong. PkoError for all of them."""
    request = ca.CreateAclsRequest(
        creations=[
            ca.AclCreation(
                resource_type=resource.type,
                resource_name=resource.name,
                resource_pattern_type=resource.pattern,
                principal=entry.principal,
                host=entry.host,
                operation=entry.operation,
                permission_type=entry.permission,
            )
            for resource, entry in rules
        ]
    )
    lowest = max((_lowest(rule.resource.pattern) for rule in rules), default=0)
    answer = cluster.call(request, ca.CreateAclsResponse, name="createAcls", lowest=lowest)
    _complete(answer.results, rules)
    return [error_of(result) for result in answer.results]


def delete_acls(cluster: Cluster, filters: Sequence[AclFilter]) -> list[Removed]:
    """Remove what each filter means; what that was, in their order. PkoError for all of them."""
    request = dla.DeleteAclsRequest(
        filters=[dla.DeleteAclsFilter(**_fields(wanted)) for wanted in filters]
    )
    lowest = max((_lowest(wanted.pattern) for wanted in filters), default=0)
    answer = cluster.call(request, dla.DeleteAclsResponse, name="deleteAcls", lowest=lowest)
    _complete(answer.filter_results, filters)
    return [_removed(result) for result in answer.filter_results]


def exactly(rule: AclBinding) -> AclFilter:
    """The filter that means this rule alone."""
    resource, entry = rule
    who = (entry.principal, entry.host, entry.operation, entry.permission)
    return AclFilter(resource.type, resource.name, resource.pattern, *who)


def _fields(wanted: AclFilter) -> dict[str, Any]:
    """A filter as requests have it."""
    return {
        "resource_type_filter": wanted.type,
        "resource_name_filter": wanted.name,
        "pattern_type_filter": wanted.pattern,
        "principal_filter": wanted.principal,
        "host_filter": wanted.host,
        "operation": wanted.operation,
        "permission_type": wanted.permission,
    }


def _removed(result: dla.DeleteAclsFilterResult) -> Removed:
    gone, failed = [], []
    for match in result.matching_acls:
        rule, error = _binding(match, match), error_of(match)
        if error is None:
            gone.append(rule)
        else:
            failed.append((rule, error))
    return Removed(sorted(gone), failed, error_of(result))


def _binding(resource: Any, acl: Any) -> AclBinding:
    return AclBinding(
        ResourcePattern(
            ResourceType.of(resource.resource_type),
            resource.resource_name,
            PatternType.of(resource.pattern_type),
        ),
        AclEntry(
            acl.principal,
            acl.host,
            Operation.of(acl.operation),
            Permission.of(acl.permission_type),
        ),
    )


def _complete(results: Sequence[object], asked: Sequence[object]) -> None:
    if len(results) != len(asked):
        raise KafkaError(
            ErrorCode.UNKNOWN_SERVER_ERROR,
            f"the broker answers {len(results)} of {len(asked)} parts of the request",
        )


def _lowest(pattern: PatternType) -> int:
    """The version that can say it: 0 knows literal names alone."""
    return 0 if pattern in (PatternType.LITERAL, PatternType.ANY) else 1
