"""A client of group ``g`` on a connection of its own to the handlers of a site."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from pykafka_ops.broker.runtime.sockets.connection import Connection
from pykafka_ops.broker.runtime.sockets.server import Server
from pykafka_ops.wire.apis import APIS
from pykafka_ops.wire.frame import decode_response, encode_request
from pykafka_ops.wire.message import table_of
from tests.support.memory.handler_site import Site
from tests.support.wire.server import FakeTransport

Find = Callable[..., Any]


class MemberClient:
    """``read`` counts requests that were read field by field."""

    def __init__(self, loop: asyncio.AbstractEventLoop, site: Site) -> None:
        server = Server(site.services, loop)
        find: Find = server.dispatch.find
        self.read = 0

        def counted(*arguments: Any) -> Any:
            self.read += 1
            return find(*arguments)

        server.dispatch.find = counted  # type: ignore[method-assign]
        self.connection = Connection(server, "PLAINTEXT")
        self._transport = FakeTransport(self.connection)

    def send(self, request: Any, version: int, number: int = 1) -> None:
        """Send a request with that correlation id."""
        self.send_frame(encode_request(request, version, number, "c"))

    def send_frame(self, frame: bytes) -> None:
        """Send a request with the length in front."""
        self._transport.written = []
        self._transport.feed(frame)

    def answers(self, request: type, version: int) -> list[tuple[int, Any]]:
        """Correlation id and message of each answer since the last request, which are of its
        kind."""
        kind = APIS[table_of(request).api].response
        return [decode_response(kind, version, frame) for frame in self._transport.frames()]

    def ask(self, request: Any, version: int, number: int = 1) -> tuple[int, Any]:
        """Correlation id and message of the answer, which is there at once."""
        self.send(request, version, number)
        (answer,) = self.answers(type(request), version)
        return answer
