"""DeleteAcls: as Apache Kafka 3.9.1 without an authorizer."""

from __future__ import annotations

import pytest

from pykafka_ops.errors import WireError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.delete_acls import (
    DeleteAclsFilter,
    DeleteAclsFilterResult,
    DeleteAclsRequest,
    DeleteAclsResponse,
)
from tests.support.memory.handler_site import Site


def everything(**fields: int) -> DeleteAclsFilter:
    """A filter that lets all rules pass, but for ``fields``."""
    return DeleteAclsFilter(
        **{"resource_type_filter": 1, "operation": 1, "permission_type": 1, **fields}
    )


@pytest.mark.parametrize("version", range(4))
@pytest.mark.parametrize("count", [0, 1, 2])
def test_without_an_authorizer_every_filter_is_refused(version: int, count: int) -> None:
    refused = DeleteAclsFilterResult(
        error_code=ErrorCode.SECURITY_DISABLED, error_message="No Authorizer is configured."
    )
    answer = Site().ask(DeleteAclsRequest(filters=[everything()] * count), version)
    assert answer == DeleteAclsResponse(filter_results=[refused] * count)


@pytest.mark.parametrize(
    "field", ["resource_type_filter", "pattern_type_filter", "operation", "permission_type"]
)
def test_a_filter_with_an_unknown_element_is_malformed(field: str) -> None:
    with pytest.raises(WireError):
        Site().ask(DeleteAclsRequest(filters=[everything(), everything(**{field: 0})]), 3)
