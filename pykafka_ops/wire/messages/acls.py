"""DescribeAcls (29), CreateAcls (30), DeleteAcls (31): access rules (KIP-140).

Version 1 adds pattern types (KIP-290); without them a resource name is literal (3).
"""

from __future__ import annotations

from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import INT8, INT16, INT32, STRING


@message(api=29, kind="request", versions="0-3", flexible="2+")
class DescribeAclsRequest:
    """A filter; null matches all, pattern type 1 any, 2 whatever applies."""

    resource_type_filter: int = wire(INT8)
    resource_name_filter: str | None = wire(STRING, nullable="0+")
    pattern_type_filter: int = wire(INT8, "1+", default=3)
    principal_filter: str | None = wire(STRING, nullable="0+")
    host_filter: str | None = wire(STRING, nullable="0+")
    operation: int = wire(INT8)
    permission_type: int = wire(INT8)


@struct
class AclDescription:
    """One rule of a resource."""

    principal: str = wire(STRING)
    host: str = wire(STRING)
    operation: int = wire(INT8)
    permission_type: int = wire(INT8)


@struct
class DescribeAclsResource:
    """One resource and its rules."""

    resource_type: int = wire(INT8)
    resource_name: str = wire(STRING)
    pattern_type: int = wire(INT8, "1+", default=3)
    acls: list[AclDescription] = wire([AclDescription])


@message(api=29, kind="response", versions="0-3", flexible="2+")
class DescribeAclsResponse:
    """The rules that pass the filter."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+")
    resources: list[DescribeAclsResource] = wire([DescribeAclsResource])


@struct
class AclCreation:
    """One rule to add."""

    resource_type: int = wire(INT8)
    resource_name: str = wire(STRING)
    resource_pattern_type: int = wire(INT8, "1+", default=3)
    principal: str = wire(STRING)
    host: str = wire(STRING)
    operation: int = wire(INT8)
    permission_type: int = wire(INT8)


@message(api=30, kind="request", versions="0-3", flexible="2+")
class CreateAclsRequest:
    """Rules to add."""

    creations: list[AclCreation] = wire([AclCreation])


@struct
class AclCreationResult:
    """The outcome for one rule."""

    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+")


@message(api=30, kind="response", versions="0-3", flexible="2+")
class CreateAclsResponse:
    """The outcome for each rule, in the order of the request."""

    throttle_time_ms: int = wire(INT32)
    results: list[AclCreationResult] = wire([AclCreationResult])


@struct
class DeleteAclsFilter:
    """Delete the rules that match; null matches all."""

    resource_type_filter: int = wire(INT8)
    resource_name_filter: str | None = wire(STRING, nullable="0+")
    pattern_type_filter: int = wire(INT8, "1+", default=3)
    principal_filter: str | None = wire(STRING, nullable="0+")
    host_filter: str | None = wire(STRING, nullable="0+")
    operation: int = wire(INT8)
    permission_type: int = wire(INT8)


@message(api=31, kind="request", versions="0-3", flexible="2+")
class DeleteAclsRequest:
    """Filters for what shall go."""

    filters: list[DeleteAclsFilter] = wire([DeleteAclsFilter])


@struct
class DeleteAclsMatchingAcl:
    """One rule that matched, and whether it is gone."""

    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+")
    resource_type: int = wire(INT8)
    resource_name: str = wire(STRING)
    pattern_type: int = wire(INT8, "1+", default=3)
    principal: str = wire(STRING)
    host: str = wire(STRING)
    operation: int = wire(INT8)
    permission_type: int = wire(INT8)


@struct
class DeleteAclsFilterResult:
    """What one filter matched."""

    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+")
    matching_acls: list[DeleteAclsMatchingAcl] = wire([DeleteAclsMatchingAcl])


@message(api=31, kind="response", versions="0-3", flexible="2+")
class DeleteAclsResponse:
    """The outcome for each filter, in the order of the request."""

    throttle_time_ms: int = wire(INT32)
    filter_results: list[DeleteAclsFilterResult] = wire([DeleteAclsFilterResult])
