"""Access rules of fake brokers: asked for, added and removed as clients say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

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
from pykafka_ops.wire.messages.create_acls import AclCreationResult, CreateAclsResponse
from pykafka_ops.wire.messages.delete_acls import (
    DeleteAclsFilterResult,
    DeleteAclsMatchingAcl,
    DeleteAclsResponse,
)
from pykafka_ops.wire.messages.describe_acls import (
    AclDescription,
    DescribeAclsResource,
    DescribeAclsResponse,
)
from tests.support.memory.fake_broker import FakeBroker


class FakeAuthorizer:
    """Holds ``rules``; ``refused`` are names of resources whose rules it does not change."""

    def __init__(self, brokers: Iterable[FakeBroker]) -> None:
        self.rules: set[AclBinding] = set()
        self.refused: set[str] = set()
        for broker in brokers:
            broker.on("DescribeAcls", self.describe)
            broker.on("CreateAcls", self.create)
            broker.on("DeleteAcls", self.delete)

    def describe(self, request: Any) -> DescribeAclsResponse:
        resources = [
            DescribeAclsResource(
                resource_type=rule.resource.type,
                resource_name=rule.resource.name,
                pattern_type=rule.resource.pattern,
                acls=[
                    AclDescription(
                        principal=rule.entry.principal,
                        host=rule.entry.host,
                        operation=rule.entry.operation,
                        permission_type=rule.entry.permission,
                    )
                ],
            )
            for rule in self.rules
            if _filter(request).matches(rule)
        ]
        return DescribeAclsResponse(resources=resources)

    def create(self, request: Any) -> CreateAclsResponse:
        results = []
        for one in request.creations:
            bad = one.resource_name in self.refused
            results.append(
                AclCreationResult(
                    error_code=ErrorCode.INVALID_REQUEST if bad else 0,
                    error_message="Failed to create ACL" if bad else None,
                )
            )
            if not bad:
                self.rules.add(_rule(one))
        return CreateAclsResponse(results=results)

    def delete(self, request: Any) -> DeleteAclsResponse:
        results = []
        for wanted in map(_filter, request.filters):
            meant = {rule for rule in self.rules if wanted.matches(rule)}
            self.rules -= {rule for rule in meant if rule.resource.name not in self.refused}
            matching = [
                DeleteAclsMatchingAcl(
                    error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED
                    if rule.resource.name in self.refused
                    else 0,
                    resource_type=rule.resource.type,
                    resource_name=rule.resource.name,
                    pattern_type=rule.resource.pattern,
                    principal=rule.entry.principal,
                    host=rule.entry.host,
                    operation=rule.entry.operation,
                    permission_type=rule.entry.permission,
                )
                for rule in meant
            ]
            results.append(DeleteAclsFilterResult(matching_acls=matching))
        return DeleteAclsResponse(filter_results=results)


def _filter(request: Any) -> AclFilter:
    return AclFilter(
        ResourceType(request.resource_type_filter),
        request.resource_name_filter,
        PatternType(request.pattern_type_filter),
        request.principal_filter,
        request.host_filter,
        Operation(request.operation),
        Permission(request.permission_type),
    )


def _rule(one: Any) -> AclBinding:
    return AclBinding(
        ResourcePattern(
            ResourceType(one.resource_type),
            one.resource_name,
            PatternType(one.resource_pattern_type),
        ),
        AclEntry(
            one.principal, one.host, Operation(one.operation), Permission(one.permission_type)
        ),
    )
