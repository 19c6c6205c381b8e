"""DescribeDelegationToken: as Apache Kafka 3.9.1 on a plaintext listener."""

from __future__ import annotations

import pytest

from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.describe_delegation_token import (
    DescribeDelegationTokenOwner,
    DescribeDelegationTokenRequest,
    DescribeDelegationTokenResponse,
)
from tests.support.memory.handler_site import Site

ME = DescribeDelegationTokenOwner(principal_type="User", principal_name="ANONYMOUS")


@pytest.mark.parametrize("version", range(4))
@pytest.mark.parametrize("owners", [None, [], [ME]])
def test_who_did_not_log_in_sees_no_token(
    version: int, owners: list[DescribeDelegationTokenOwner] | None
) -> None:
    answer = Site().ask(DescribeDelegationTokenRequest(owners=owners), version)
    assert answer == DescribeDelegationTokenResponse(
        error_code=ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
    )
