"""What a session does not wait for at its end."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any, cast

from pykafka_ops.spark import session


def test_nobody_waits_for_the_server_of_accumulators() -> None:
    may_end, ended = threading.Event(), threading.Event()

    def shutdown() -> None:
        assert may_end.wait(60)
        ended.set()

    server = SimpleNamespace(shutdown=shutdown, handle_error=None)
    context = cast("Any", SimpleNamespace(_accumulatorServer=server))
    session._let_go(context)
    assert not ended.is_set()
    assert context._accumulatorServer is None, "PySpark would wait for it"
    assert server.handle_error("connection", "address") is None, "what Java breaks off is not told"
    may_end.set()
    assert ended.wait(60)
    session._let_go(context)
