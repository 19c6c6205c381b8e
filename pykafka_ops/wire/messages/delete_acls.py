"""DeleteAcls (31): delete access rules by filters (KIP-140).

Version 1 adds pattern types (KIP-290); without them a resource name is literal (3).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import INT8, INT16, INT32, STRING


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


@message(ApiKey.DELETE_ACLS)
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


@message(ApiKey.DELETE_ACLS)
class DeleteAclsResponse:
    """The outcome for each filter, in the order of the request."""

    throttle_time_ms: int = wire(INT32)
    filter_results: list[DeleteAclsFilterResult] = wire([DeleteAclsFilterResult])
