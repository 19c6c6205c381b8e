"""SaslHandshake: as Apache Kafka 3.9.1 on a plaintext listener."""

from __future__ import annotations

import pytest

from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse
from tests.support.memory.handler_site import Site


@pytest.mark.parametrize("version", range(2))
@pytest.mark.parametrize("mechanism", ["PLAIN", ""])
def test_no_mechanism_can_be_chosen_where_nobody_logs_in(version: int, mechanism: str) -> None:
    answer = Site().ask(SaslHandshakeRequest(mechanism=mechanism), version)
    assert answer == SaslHandshakeResponse(error_code=ErrorCode.ILLEGAL_SASL_STATE)
