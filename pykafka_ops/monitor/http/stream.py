"""The stream that has pages show every round."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from pykafka_ops.monitor.http.answers import NO_STORE, refused
from pykafka_ops.monitor.http.app import service_of, whole_service
from pykafka_ops.monitor.service import Service

STREAMS: Final = 100
"""Browsers that hear of rounds at a time."""
LOOK_SECONDS: Final = 0.5
QUIET_SECONDS: Final = 15


def routes() -> list[BaseRoute]:
    """The route of this door."""
    return [Route("/api/v1/stream", _Streams().answer)]


class _Streams:
    """Server-sent events: one for every round of any cluster, and one in ``QUIET_SECONDS``."""

    async def answer(self, request: Request) -> Response:
        if whole_service(request).streams >= STREAMS:
            return refused(503, "TOO_MANY_STREAMS", f"{STREAMS} browsers follow already")
        headers = {**NO_STORE, "X-Accel-Buffering": "no"}
        stream = self._rounds(service_of(request), whole_service(request))
        return StreamingResponse(stream, headers=headers, media_type="text/event-stream")

    async def _rounds(self, service: Service, whole: Service) -> AsyncIterator[str]:
        whole.streams += 1
        try:
            last = _seen(service)
            yield "retry: 5000\n\n"
            quiet = 0.0
            while True:
                await asyncio.sleep(LOOK_SECONDS)
                quiet += LOOK_SECONDS
                now = _seen(service)
                if now != last or quiet >= QUIET_SECONDS:  # what does not change grows old
                    last, quiet = now, 0.0
                    yield f"id: {sum(number for number, _ in now)}\nevent: round\ndata: {{}}\n\n"
        finally:
            whole.streams -= 1


def _seen(service: Service) -> list[tuple[int, bool]]:
    """What changes when a round has ended."""
    return [(w.view.number, w.view.error is not None) for w in service.clusters.values()]
