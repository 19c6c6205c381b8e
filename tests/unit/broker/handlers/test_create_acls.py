"""CreateAcls: as Apache Kafka 3.9.1 without an authorizer."""

from __future__ import annotations

import pytest

from pykafka_ops.errors import WireError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.create_acls import (
    AclCreation,
    AclCreationResult,
    CreateAclsRequest,
    CreateAclsResponse,
)
from tests.support.memory.handler_site import Site


def rule(**fields: int) -> AclCreation:
    return AclCreation(
        resource_name="t",
        principal="User:me",
        host="*",
        **{"resource_type": 2, "operation": 3, "permission_type": 3, **fields},
    )


@pytest.mark.parametrize("version", range(4))
@pytest.mark.parametrize("count", [0, 1, 2])
def test_without_an_authorizer_every_rule_is_refused(version: int, count: int) -> None:
    refused = AclCreationResult(
        error_code=ErrorCode.SECURITY_DISABLED, error_message="No Authorizer is configured."
    )
    answer = Site().ask(CreateAclsRequest(creations=[rule()] * count), version)
    assert answer == CreateAclsResponse(results=[refused] * count)


@pytest.mark.parametrize(
    "field", ["resource_type", "resource_pattern_type", "operation", "permission_type"]
)
def test_a_rule_with_an_unknown_element_is_malformed(field: str) -> None:
    with pytest.raises(WireError):
        Site().ask(CreateAclsRequest(creations=[rule(), rule(**{field: 0})]), 3)
