from __future__ import annotations

import pytest

from pykafka_ops.errors import WireError
from pykafka_ops.wire.messages.envelope import EnvelopeRequest
from tests.support.memory.handler_site import Site


def test_a_broker_that_takes_no_forwarded_requests_closes_the_connection() -> None:
    with pytest.raises(WireError, match="forwarding"):
        Site().ask(EnvelopeRequest(request_data=b"", client_host_address=b""), 0)
