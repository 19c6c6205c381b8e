"""SaslAuthenticate: as Apache Kafka 3.9.1 on a plaintext listener."""

from __future__ import annotations

import pytest

from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.sasl_authenticate import (
    SaslAuthenticateRequest,
    SaslAuthenticateResponse,
)
from tests.support.memory.handler_site import Site


@pytest.mark.parametrize("version", range(3))
def test_nobody_logs_in_where_requests_are_taken_from_anybody(version: int) -> None:
    answer = Site().ask(SaslAuthenticateRequest(auth_bytes=b"\0me\0secret"), version)
    assert answer == SaslAuthenticateResponse(
        error_code=ErrorCode.ILLEGAL_SASL_STATE,
        error_message="SaslAuthenticate request received after successful authentication",
    )
