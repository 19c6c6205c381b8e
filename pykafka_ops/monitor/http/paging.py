"""What endpoints of pages share: the cluster that is asked for, wrong questions, HTML answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.cluster.watcher import now_ms
from pykafka_ops.monitor.http.answers import NO_STORE
from pykafka_ops.monitor.http.app import service_of
from pykafka_ops.monitor.http.forms import as_person
from pykafka_ops.monitor.http.query import listing
from pykafka_ops.monitor.pages import lists
from pykafka_ops.monitor.pages.frame import ROWS, Found, PageRequest
from pykafka_ops.monitor.service import Service

NOT_FIELDS: Final = ("past",)
"""Words of a query that are about a page, not about its rows."""
Make = Callable[[Request, PageRequest, ClusterView], "str | Response"]


def html(text: str, status: int = 200) -> Response:
    """A page as an answer."""
    return Response(text.encode("utf-8", "replace"), status, NO_STORE, "text/html")


def asked_of(request: Request, service: Service, cluster: str) -> PageRequest:
    """What a page was asked for."""
    shown = service.shown.get(cluster)
    query = {name: value for name, value in request.query_params.items() if name != "limit"}
    poll_ms = shown.poll_ms if shown else 15_000
    asked = PageRequest(cluster, list(service.clusters), query, now_ms(), poll_ms)
    reports = service.reports is not None and service.is_whole
    tiers = service.books is not None and service.is_whole
    mirrors = any(watched.view.links for watched in service.clusters.values())
    asked = asked._replace(reports=reports, tiers=tiers, mirrors=mirrors)
    return as_person(request, asked)


def page(make: Make) -> Callable[[Request], Response]:
    """An endpoint that makes a page of a cluster; ValueError is answered as a wrong question."""

    def endpoint(request: Request) -> Response:
        service = service_of(request)
        name = request.path_params["cluster"]
        asked = asked_of(request, service, name)
        view = service.view(name)
        if view is None:
            asked = asked._replace(cluster="")
            return html(lists.missing(asked, None, f"There is no cluster {name}."), 404)
        try:
            made = make(request, asked, view)
        except ValueError as error:
            return html(lists.missing(asked, view, f"{error}."), 400)
        return made if isinstance(made, Response) else html(made)

    return endpoint


def not_there(asked: PageRequest, view: ClusterView, what: str) -> Response:
    """There is nothing of that name."""
    return html(lists.missing(asked, view, what), 404)


def found(asked: PageRequest, rows: Iterable[Mapping[str, Any]]) -> Found:
    """The rows that a page shows, as its query says. ValueError."""
    return listing(row_query(asked), rows, ROWS)


def row_query(asked: PageRequest) -> dict[str, str]:
    """What the query says of rows."""
    return {name: value for name, value in asked.query.items() if name not in NOT_FIELDS}
