"""RenewDelegationToken: as Apache Kafka 3.9.1 on a plaintext listener."""

from __future__ import annotations

import pytest

from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.renew_delegation_token import (
    RenewDelegationTokenRequest,
    RenewDelegationTokenResponse,
)
from tests.support.memory.handler_site import Site


@pytest.mark.parametrize("version", range(3))
def test_who_did_not_log_in_cannot_renew_a_token(version: int) -> None:
    request = RenewDelegationTokenRequest(hmac=b"secret", renew_period_ms=-1)
    assert Site().ask(request, version) == RenewDelegationTokenResponse(
        error_code=ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED, expiry_timestamp_ms=-1
    )
