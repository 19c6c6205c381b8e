"""DescribeAcls (29): which access rules there are (KIP-140).

Version 1 adds pattern types (KIP-290); without them a resource name is literal (3).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import INT8, INT16, INT32, STRING


@message(ApiKey.DESCRIBE_ACLS)
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


@message(ApiKey.DESCRIBE_ACLS)
class DescribeAclsResponse:
    """The rules that pass the filter."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+")
    resources: list[DescribeAclsResource] = wire([DescribeAclsResource])
