"""A search hears when the browser has gone."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from pykafka_ops.monitor.http.messages_asked import unless_gone
from tests.support.waiting import PATIENCE, wait_for


class GoneRequest:
    """A request whose browser goes once the search runs."""

    def __init__(self) -> None:
        self.running = threading.Event()

    async def is_disconnected(self) -> bool:
        return self.running.is_set()


def test_a_search_is_told_that_nobody_waits_for_it() -> None:
    request: Any = GoneRequest()

    def search(gone: Callable[[], bool]) -> str:
        request.running.set()
        wait_for(gone, what="the search is told")
        return "ended"

    assert asyncio.run(asyncio.wait_for(unless_gone(request, search), PATIENCE)) == "ended"
