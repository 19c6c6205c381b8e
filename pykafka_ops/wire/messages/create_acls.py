"""CreateAcls (30): add access rules (KIP-140).

Version 1 adds pattern types (KIP-290); without them a resource name is literal (3).
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, struct, wire
from pykafka_ops.wire.types import INT8, INT16, INT32, STRING


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


@message(ApiKey.CREATE_ACLS)
class CreateAclsRequest:
    """Rules to add."""

    creations: list[AclCreation] = wire([AclCreation])


@struct
class AclCreationResult:
    """The outcome for one rule."""

    error_code: int = wire(INT16)
    error_message: str | None = wire(STRING, nullable="0+")


@message(ApiKey.CREATE_ACLS)
class CreateAclsResponse:
    """The outcome for each rule, in the order of the request."""

    throttle_time_ms: int = wire(INT32)
    results: list[AclCreationResult] = wire([AclCreationResult])
