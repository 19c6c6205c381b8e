"""Records of topics: as JSON, as pages, as they are written; only with the right ``messages``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import Any, Final

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from pykafka_ops.errors import PkoError
from pykafka_ops.monitor.http.answers import NO_STORE
from pykafka_ops.monitor.http.app import service_of
from pykafka_ops.monitor.http.messages_asked import (
    AskedMessages,
    Refusal,
    asked_messages,
    refusal,
    unless_gone,
    write_down,
)
from pykafka_ops.monitor.http.paging import asked_of
from pykafka_ops.monitor.http.tail import tail_answer
from pykafka_ops.monitor.messages.parts import DecodedPart
from pykafka_ops.monitor.messages.search import SearchResult
from pykafka_ops.monitor.messages.shown import ShownRecord, record_body
from pykafka_ops.monitor.pages import messages as pages
from pykafka_ops.monitor.pages.frame import PageRequest
from pykafka_ops.payload.exact_json import write_json

SCRIPT: Final = "messages.js"
Answer = Callable[[Request, AskedMessages], Awaitable[Response]]


def routes() -> list[BaseRoute]:
    """The routes of this door."""
    api = "/api/v1/clusters/{cluster}/topics/{topic}"
    page = "/c/{cluster}/topics/{topic}/messages"
    return [
        Route(f"{api}/records", _program(_records)),
        Route(f"{api}/records/{{partition}}/{{offset}}", _program(_record)),
        Route(f"{api}/records/{{partition}}/{{offset}}/{{part}}", _program(_raw)),
        Route(f"{api}/tail", _program(_tail)),
        Route(page, _browser(_search_page)),
        Route(f"{page}/{{partition}}/{{offset}}", _browser(_record_page)),
        Route(f"/static/{SCRIPT}", _script),
    ]


def _program(answer: Answer) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint that answers JSON, errors too."""

    async def endpoint(request: Request) -> Response:
        try:
            return await answer(request, asked_messages(request))
        except (Refusal, ValueError, PkoError) as error:
            return refusal(error).answer()

    return endpoint


def _browser(answer: Answer) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint that answers a page, errors too."""

    async def endpoint(request: Request) -> Response:
        asked: AskedMessages | None = None
        try:
            asked = asked_messages(request)
            return await answer(request, asked)
        except (Refusal, ValueError, PkoError) as error:
            refused = refusal(error)
            if asked is None:
                return _html(pages.refused(_bare(request), refused.message), refused.status)
            page = pages.failed(
                _page_request(request, asked), asked.view, asked.topic, refused.message
            )
            return _html(page, refused.status, refused.headers)

    return endpoint


def _html(text: str, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    head = {**NO_STORE, **(headers or {})}
    return Response(text.encode("utf-8", "replace"), status, head, "text/html")


def _json(body: Any) -> Response:
    text = write_json(body).encode("utf-8", "replace")
    return Response(text, 200, NO_STORE, "application/json")


def _page_request(request: Request, asked: AskedMessages) -> PageRequest:
    made = asked_of(request, asked.service, asked.cluster)
    return made._replace(query=dict(request.query_params))


def _bare(request: Request) -> PageRequest:
    """Of a page about nothing that may be seen."""
    return asked_of(request, service_of(request), "")


# --- searches ------------------------------------------------------------------------------------


async def _found(request: Request, asked: AskedMessages) -> SearchResult:
    query = asked.query(request)
    await to_thread.run_sync(write_down, request, asked, "search")
    return await unless_gone(
        request, lambda gone: asked.messages.search(asked.cluster, asked.topic, query, gone)
    )


async def _records(request: Request, asked: AskedMessages) -> Response:
    found = await _found(request, asked)
    return _json(
        {
            "cluster": asked.cluster,
            "topic": asked.topic,
            "complete": found.complete,
            "ended": found.ended,
            "cursor": found.cursor or None,
            "looked": found.looked,
            "read_bytes": found.read_bytes,
            "seconds": round(found.seconds, 3),
            "partitions": [
                {
                    "partition": lane.partition,
                    "begin": lane.low,
                    "end": lane.high,
                    "left": list(lane.left) if lane.left else None,
                    "error": lane.error or None,
                    "faults": list(lane.faults),
                }
                for lane in found.lanes
            ],
            "records": [record_body(record) for record in found.records],
        }
    )


async def _search_page(request: Request, asked: AskedMessages) -> Response:
    query = asked.query(request)
    found = await _found(request, asked)
    page = _page_request(request, asked)
    masked = asked.messages.mask(asked.topic).covers
    return _html(pages.search(page, asked.view, asked.topic, query, found, masked=masked))


# --- one record ----------------------------------------------------------------------------------


async def _one(request: Request, asked: AskedMessages) -> ShownRecord:
    place = asked.place(request)
    query = asked.record_query(request)
    await to_thread.run_sync(write_down, request, asked, "record")
    record = await unless_gone(
        request,
        lambda gone: asked.messages.record(asked.cluster, asked.topic, place, query, gone),
    )
    if record is None:
        raise Refusal(
            404, "UNKNOWN_RECORD", f"there is no record {place[1]} in partition {place[0]}"
        )
    return record


async def _record(request: Request, asked: AskedMessages) -> Response:
    record = await _one(request, asked)
    return _json({"cluster": asked.cluster, "topic": asked.topic, **record_body(record)})


async def _record_page(request: Request, asked: AskedMessages) -> Response:
    record = await _one(request, asked)
    return _html(pages.record(_page_request(request, asked), asked.view, asked.topic, record))


async def _raw(request: Request, asked: AskedMessages) -> Response:
    """The bytes of a key or value, to be kept as a file and shown by no browser."""
    name = request.path_params["part"]
    if name not in ("key", "value"):
        raise Refusal(404, "NOT_FOUND", "there is key and value")
    record = await _one(request, asked)
    part: DecodedPart = getattr(record, name)
    if part.masked:
        raise Refusal(403, "MASKED", f"a mask covers {asked.topic}: its bytes are not given")
    number, offset = asked.place(request)
    safe = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in asked.topic)
    headers = {
        **NO_STORE,
        "Content-Disposition": f'attachment; filename="{safe[:100]}-{number}-{offset}.{name}"',
        "Content-Encoding": "identity",  # it is not packed on the way
    }
    return Response(part.raw or b"", 200, headers, "application/octet-stream")


# --- live ----------------------------------------------------------------------------------------


async def _tail(request: Request, asked: AskedMessages) -> Response:
    asked.messages.tails.check()
    query = asked.query(request)
    await to_thread.run_sync(write_down, request, asked, "tail")
    return tail_answer(asked.messages, asked.cluster, asked.topic, query)


def _script(request: Request) -> Response:
    data = (files("pykafka_ops.monitor") / "static" / SCRIPT).read_bytes()
    return Response(data, 200, {"Cache-Control": "no-cache"}, "text/javascript")
