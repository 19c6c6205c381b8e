"""The audit log, for those who may read it: ``/api/v1/audit`` and a page of each cluster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.http.answers import json_answer, refused
from pykafka_ops.monitor.http.app import service_of
from pykafka_ops.monitor.http.gate import forbidden, may, person_of
from pykafka_ops.monitor.http.paging import html, page
from pykafka_ops.monitor.http.query import whole
from pykafka_ops.monitor.pages import lists
from pykafka_ops.monitor.pages.audit import audit_page
from pykafka_ops.monitor.pages.frame import PageRequest
from pykafka_ops.monitor.service import Service

FILTERS: Final = ("who", "action", "resource", "result", "cluster", "address")
ENTRIES: Final = 100
MOST: Final = 1_000


def routes() -> list[BaseRoute]:
    """The routes of this door."""
    return [
        Route("/api/v1/audit", _entries, methods=["GET"]),
        Route("/c/{cluster}/audit", page(_page), methods=["GET"]),
    ]


def _entries(request: Request) -> Response:
    service = service_of(request)
    allowed = [c for c in service.clusters if may(request, "audit", c, c)]
    if not allowed:
        return forbidden(person_of(request), "audit", "any of those that are seen")
    if service.desk is None:
        return refused(503, "NO_AUDIT", "this monitor keeps no audit log")
    try:
        most = whole(request.query_params, "limit", ENTRIES, MOST)
        rows = _found(service, request.query_params, allowed, most, _may_all(request, service))
    except ValueError as error:
        return refused(400, "INVALID_REQUEST", str(error))
    return json_answer({"entries": rows})


def _may_all(request: Request, service: Service) -> bool:
    """Whether who asks may read what is of no cluster: failed logins."""
    return service.is_whole and all(may(request, "audit", c, c) for c in service.clusters)


def _found(
    service: Service, query: Mapping[str, str], clusters: list[str], most: int, every: bool
) -> list[Any]:
    for key in query:
        if key not in (*FILTERS, "limit"):
            raise ValueError(f"{key[:40]} is neither limit nor one of {', '.join(FILTERS)}")
    wanted = {key: query[key] for key in FILTERS if query.get(key)}
    of_end = wanted.pop("result", None)

    def is_wanted(entry: Mapping[str, Any]) -> bool:
        mine = entry["cluster"] in clusters if "cluster" in entry else every
        return mine and all(str(entry.get(key)) == value for key, value in wanted.items())

    assert service.desk is not None
    found = service.desk.audit.entries(is_wanted, most if of_end is None else MOST)
    if of_end is not None:
        found = [entry for entry in found if entry.get("result") == of_end][:most]
    return found


def _page(request: Request, asked: PageRequest, view: ClusterView) -> str | Response:
    service = service_of(request)
    if service.desk is None or not may(request, "audit", view.name, view.name):
        what = "You have no right to read the audit log of this cluster."
        return html(lists.missing(asked, view, what), 403)
    most = whole(request.query_params, "limit", ENTRIES, MOST)
    every = _may_all(request, service)
    rows = _found(service, request.query_params, [view.name], most, every)
    return audit_page(asked, view, rows)
