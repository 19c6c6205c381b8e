"""Records as they are written, as server-sent events: record, progress, error, done."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any, Final

from anyio import to_thread
from starlette.responses import Response, StreamingResponse

from pykafka_ops.errors import PkoError
from pykafka_ops.monitor.http.answers import NO_STORE
from pykafka_ops.monitor.messages.query import SearchQuery
from pykafka_ops.monitor.messages.search import UnknownTopicError, error_text
from pykafka_ops.monitor.messages.service import BusyError, Following, MessageService
from pykafka_ops.monitor.messages.shown import record_json
from pykafka_ops.monitor.messages.tail import TailRound
from pykafka_ops.payload.exact_json import write_json

ROUND_SECONDS: Final = 0.5
"""Between two looks at the ends of the logs."""
QUIET_SECONDS: Final = 10.0
"""A sign of life comes at least that often."""
AFTER_ERROR_SECONDS: Final = 2.0
LONGEST_SECONDS: Final = 3_600.0
"""How long a topic is followed without being asked again."""


def tail_answer(messages: MessageService, cluster: str, topic: str, query: SearchQuery) -> Response:
    """The stream. It ends when the browser goes, or with ``done``."""
    headers = {**NO_STORE, "X-Accel-Buffering": "no"}
    events = _events(messages, cluster, topic, query)
    return StreamingResponse(events, headers=headers, media_type="text/event-stream")


async def _events(
    messages: MessageService, cluster: str, topic: str, query: SearchQuery
) -> AsyncIterator[str]:
    yield "retry: 5000\n\n"
    try:
        following = messages.follow(cluster, topic, query)
    except BusyError as error:
        yield _event("error", {"message": str(error)})
        yield _event("done", {"reason": "busy"})
        return
    try:
        async for event in _followed(following):
            yield event
    finally:
        following.close()


async def _followed(following: Following) -> AsyncIterator[str]:
    sums = {"looked": 0, "shown": 0, "dropped": 0, "skipped": 0}
    began = last = time.monotonic()
    while time.monotonic() - began < LONGEST_SECONDS:
        try:
            found = await to_thread.run_sync(following.round)
        except (PkoError, ValueError) as error:
            text = error_text(error) if isinstance(error, PkoError) else str(error)
            yield _event("error", {"message": text})
            if isinstance(error, UnknownTopicError | ValueError):
                yield _event("done", {"reason": "error"})
                return
            await asyncio.sleep(AFTER_ERROR_SECONDS)
            continue
        for record in found.records:
            yield f"event: record\ndata: {record_json(record)}\n\n"
        for number, why in found.errors.items():
            yield _event("error", {"partition": number, "message": why})
        changed = _add(sums, found) or last == began
        if changed or time.monotonic() - last >= QUIET_SECONDS:
            last = time.monotonic()
            yield _event("progress", {**sums, "seconds": round(last - began, 1)})
        await asyncio.sleep(ROUND_SECONDS)
    yield _event("done", {"reason": "time"})


def _add(sums: dict[str, int], found: TailRound) -> bool:
    """Whether anything came."""
    sums["looked"] += found.looked
    sums["shown"] += len(found.records)
    sums["dropped"] += found.dropped
    sums["skipped"] += found.skipped
    return bool(found.looked or found.skipped)


def _event(name: str, data: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {write_json(data)}\n\n"
