"""The pages, what they look like, and the stream that has them show every round."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from pykafka_ops.monitor.alerts.rules.model import Alert
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.cluster.watcher import now_ms
from pykafka_ops.monitor.history.model import HistoryEvent
from pykafka_ops.monitor.http.answers import NO_STORE, refused
from pykafka_ops.monitor.http.app import service_of, whole_service
from pykafka_ops.monitor.http.figures import OVERVIEW, DiskWatch, series
from pykafka_ops.monitor.http.forms import as_person
from pykafka_ops.monitor.http.query import listing
from pykafka_ops.monitor.http.rows import group_body, group_row, move_rows, topic_body, topic_row
from pykafka_ops.monitor.pages import lists
from pykafka_ops.monitor.pages.frame import ROWS, PageRequest, address
from pykafka_ops.monitor.pages.overview import (
    OverviewFacts,
    clusters,
    overview,
    suffering_groups,
)
from pykafka_ops.monitor.service import Service
from pykafka_ops.monitor.told.past import Point
from pykafka_ops.page.look import shared_style

PAST_MS: Final = 6 * 3_600_000
EVENTS: Final = 200
STREAMS: Final = 100
"""Browsers that are told of rounds at a time."""
LOOK_SECONDS: Final = 0.5
QUIET_SECONDS: Final = 15
STATIC: Final = {"monitor.css": "text/css", "monitor.js": "text/javascript"}
LOAD_FACTS: Final = ("rate_in", "bytes_in")
DISKS: Final = DiskWatch()
Make = Callable[[Request, PageRequest, ClusterView], "str | Response"]


def routes() -> list[BaseRoute]:
    """The routes of this door."""
    of = "/c/{cluster}"
    return [
        Route("/", _front),
        Route(of, _page(_overview)),
        Route(f"{of}/groups", _page(_groups)),
        Route(f"{of}/groups/{{group:path}}", _page(_group)),
        Route(f"{of}/topics", _page(_topics)),
        Route(f"{of}/topics/{{topic}}", _page(_topic)),
        Route(f"{of}/brokers", _page(lambda _, asked, view: lists.brokers(asked, view))),
        Route("/static/{name}", _static),
        Route("/api/v1/stream", _Streams().answer),
    ]


def _html(text: str, status: int = 200) -> Response:
    return Response(text.encode("utf-8", "replace"), status, NO_STORE, "text/html")


def _asked(request: Request, service: Service, cluster: str) -> PageRequest:
    shown = service.shown.get(cluster)
    query = {name: value for name, value in request.query_params.items() if name != "limit"}
    poll_ms = shown.poll_ms if shown else 15_000
    asked = PageRequest(cluster, list(service.clusters), query, now_ms(), poll_ms)
    return as_person(request, asked)


def _front(request: Request) -> Response:
    service = service_of(request)
    if len(service.clusters) == 1:
        return RedirectResponse(address(*service.clusters), 302)
    views = [watched.view for watched in service.clusters.values()]
    return _html(clusters(_asked(request, service, ""), views))


def _page(make: Make) -> Callable[[Request], Response]:
    """An endpoint that makes a page of a cluster."""

    def endpoint(request: Request) -> Response:
        service = service_of(request)
        name = request.path_params["cluster"]
        asked = _asked(request, service, name)
        view = service.view(name)
        if view is None:
            asked = asked._replace(cluster="")
            return _html(lists.missing(asked, None, f"There is no cluster {name}."), 404)
        try:
            made = make(request, asked, view)
        except ValueError as error:
            return _html(lists.missing(asked, view, f"{error}."), 400)
        return made if isinstance(made, Response) else _html(made)

    return endpoint


def _overview(request: Request, asked: PageRequest, view: ClusterView) -> str:
    service = service_of(request)
    history, now = service.history, asked.now
    events: list[HistoryEvent] = []
    past: Mapping[str, Sequence[Point]] = {}
    if history is not None:
        events, _ = history.events(asked.cluster, now - PAST_MS, now + 1, EVENTS)
        whole = ("cluster", asked.cluster)
        past = series(history, asked.cluster, whole, LOAD_FACTS, (OVERVIEW, now))
    suffering = suffering_groups((view.groups or {}).values())
    told = OverviewFacts(
        [group_row(g) for g in suffering],
        move_rows(view),
        events,
        firing(service, asked.cluster),
        DISKS.of(history, view, now),
        past,
    )
    return overview(asked, view, told)


def firing(service: Service, cluster: str) -> list[Alert] | None:
    """The alerts of a cluster that fire; None: this monitor tells none."""
    state = service.alerts_now()
    return None if state is None else [a for a in state.firing if a.key.cluster == cluster]


def _groups(request: Request, asked: PageRequest, view: ClusterView) -> str:
    if view.groups is None:
        return lists.missing(asked, view, "Groups are not known: no broker listed them.")
    rows = [group_row(g) for g in view.groups.values()]
    return lists.groups(asked, view, listing(asked.query, rows, ROWS))


def _topics(request: Request, asked: PageRequest, view: ClusterView) -> str:
    if view.topics is None:
        return lists.missing(asked, view, "Topics are not known yet.")
    rows = [topic_row(t) for t in view.topics.values()]
    return lists.topics(asked, view, listing(asked.query, rows, ROWS))


def _group(request: Request, asked: PageRequest, view: ClusterView) -> str | Response:
    name = request.path_params["group"]
    body = group_body(service_of(request).clusters[view.name], name)
    if body is None:
        return _html(lists.missing(asked, view, f"There is no group {name}."), 404)
    return lists.group(asked, view, body)


def _topic(request: Request, asked: PageRequest, view: ClusterView) -> str | Response:
    name = request.path_params["topic"]
    body = topic_body(view, name)
    if body is None:
        return _html(lists.missing(asked, view, f"There is no topic {name}."), 404)
    return lists.topic(asked, view, body)


def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        return refused(404, "NOT_FOUND", "there is nothing at this address")
    data = _file(name)
    return Response(data, headers={"Cache-Control": "no-cache"}, media_type=STATIC[name])


@cache
def _file(name: str) -> bytes:
    """A file of ours; style sheets with what all pages have in common."""
    data = (files("pykafka_ops.monitor") / "static" / name).read_bytes()
    return shared_style().encode() + data if name.endswith(".css") else data


class _Streams:
    """Server-sent events: one for every round of any cluster, and one in ``QUIET_SECONDS``."""

    async def answer(self, request: Request) -> Response:
        if whole_service(request).streams >= STREAMS:
            return refused(503, "TOO_MANY_STREAMS", f"{STREAMS} browsers are told already")
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
