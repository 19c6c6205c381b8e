"""DescribeAcls: as Apache Kafka 3.9.1 without an authorizer."""

from __future__ import annotations

import pytest

from pykafka_ops.errors import WireError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.describe_acls import DescribeAclsRequest, DescribeAclsResponse
from tests.support.memory.handler_site import Site


def request(**fields: int) -> DescribeAclsRequest:
    """All rules, but for ``fields``."""
    return DescribeAclsRequest(
        **{"resource_type_filter": 1, "operation": 1, "permission_type": 1, **fields}
    )


@pytest.mark.parametrize("version", range(4))
def test_without_an_authorizer_no_rule_is_described(version: int) -> None:
    assert Site().ask(request(), version) == DescribeAclsResponse(
        error_code=ErrorCode.SECURITY_DISABLED,
        error_message="No Authorizer is configured on the broker",
    )


@pytest.mark.parametrize("field", ["resource_type_filter", "operation", "permission_type"])
def test_a_filter_with_an_unknown_element_is_malformed(field: str) -> None:
    with pytest.raises(WireError):
        Site().ask(request(**{field: 0}), 3)


def test_version_0_has_no_pattern_type_to_be_unknown() -> None:
    assert Site().ask(request(), 0).error_code == ErrorCode.SECURITY_DISABLED
    with pytest.raises(WireError):
        Site().ask(request(pattern_type_filter=0), 1)
