"""The pages: how a cluster is, its groups, topics and brokers, and what they look like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from importlib.resources import files
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from pykafka_ops.monitor.alerts.rules.model import Alert
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.disks import DiskWatch
from pykafka_ops.monitor.history.model import HistoryEvent
from pykafka_ops.monitor.http import details, rare, stream
from pykafka_ops.monitor.http.answers import refused
from pykafka_ops.monitor.http.app import service_of
from pykafka_ops.monitor.http.enquire import transactions_of
from pykafka_ops.monitor.http.figures import OVERVIEW, series
from pykafka_ops.monitor.http.paging import asked_of, found, html, page
from pykafka_ops.monitor.http.rows import (
    causes,
    group_rows,
    leftover_rows,
    progress_rows,
    quorum_body,
    suffering_rows,
    topic_rows,
)
from pykafka_ops.monitor.pages import broker, lists
from pykafka_ops.monitor.pages.frame import PageRequest, address
from pykafka_ops.monitor.pages.overview import (
    OverviewShown,
    clusters,
    overview,
)
from pykafka_ops.monitor.pages.transactions import blocked_block
from pykafka_ops.monitor.service import Service
from pykafka_ops.monitor.wording.past import Point
from pykafka_ops.page.look import shared_style

PAST_MS: Final = 6 * 3_600_000
EVENTS: Final = 200
STATIC: Final = {"monitor.css": "text/css", "monitor.js": "text/javascript"}
LOOK_SECONDS: Final = 0.2
"""How long the first page waits for what is not part of a round: the next round shows it."""
LOAD_FACTS: Final = ("rate_in", "bytes_in")


def routes() -> list[BaseRoute]:
    """The routes of this door."""
    of, disks = "/c/{cluster}", DiskWatch()
    return [
        Route("/", _front),
        Route(of, page(partial(_overview, disks))),
        Route(f"{of}/groups", page(_groups)),
        Route(f"{of}/topics", page(_topics)),
        Route(f"{of}/brokers", page(_brokers)),
        *details.routes(disks),
        *rare.routes(),
        Route("/static/{name}", _static),
        *stream.routes(),
    ]


def _front(request: Request) -> Response:
    service = service_of(request)
    if len(service.clusters) == 1:
        return RedirectResponse(address(*service.clusters), 302)
    views = [watched.view for watched in service.clusters.values()]
    return html(clusters(asked_of(request, service, ""), views))


def _overview(disks: DiskWatch, request: Request, asked: PageRequest, view: ClusterView) -> str:
    service = service_of(request)
    history, now = service.history, asked.now
    events: list[HistoryEvent] = []
    past: Mapping[str, Sequence[Point]] = {}
    if history is not None:
        events, _ = history.events(asked.cluster, now - PAST_MS, now + 1, EVENTS)
        whole = ("cluster", asked.cluster)
        past = series(history, asked.cluster, whole, LOAD_FACTS, (OVERVIEW, now, asked.poll_ms))
    waited = transactions_of(service.clusters[view.name], view, now, LOOK_SECONDS)
    shown = OverviewShown(
        causes(view),
        suffering_rows(view),
        progress_rows(view),
        events,
        firing(service, asked.cluster),
        disks.of(history, view, now),
        past,
        blocked_block(asked, *waited),
    )
    return overview(asked, view, shown)


def firing(service: Service, cluster: str) -> list[Alert] | None:
    """The alerts of a cluster that fire; None: this monitor has none."""
    state = service.alerts_now()
    return None if state is None else [a for a in state.firing if a.key.cluster == cluster]


def _groups(request: Request, asked: PageRequest, view: ClusterView) -> str:
    if view.groups is None:
        return lists.missing(asked, view, "Groups are not known: no broker listed them.")
    return lists.groups(asked, view, found(asked, group_rows(view)))


def _topics(request: Request, asked: PageRequest, view: ClusterView) -> str:
    if view.topics is None:
        return lists.missing(asked, view, "Topics are not known yet.")
    return lists.topics(asked, view, found(asked, topic_rows(view)), leftover_rows(view))


def _brokers(request: Request, asked: PageRequest, view: ClusterView) -> str:
    return broker.brokers(asked, view, found(asked, view.brokers), quorum_body(view))


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
