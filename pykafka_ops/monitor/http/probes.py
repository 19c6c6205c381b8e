"""What probes found: ``/api/v1/clusters/NAME/probes`` and a page."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.http.answers import json_answer, no_cluster, refused
from pykafka_ops.monitor.http.app import service_of
from pykafka_ops.monitor.http.paging import page
from pykafka_ops.monitor.http.query import listing
from pykafka_ops.monitor.http.rows import probe_rows
from pykafka_ops.monitor.pages.frame import PageRequest
from pykafka_ops.monitor.pages.probes import probes


def routes() -> list[BaseRoute]:
    """The routes of this door."""
    return [
        Route("/api/v1/clusters/{cluster}/probes", _probes),
        Route("/c/{cluster}/probes", page(_page)),
    ]


def _page(request: Request, asked: PageRequest, view: ClusterView) -> str:
    return probes(asked, view, probe_rows(service_of(request), view.name))


def _probes(request: Request) -> Response:
    service = service_of(request)
    name = request.path_params["cluster"]
    if name not in service.clusters:
        return no_cluster(name, service.clusters)
    try:
        found = listing(request.query_params, probe_rows(service, name))
    except ValueError as error:
        return refused(400, "INVALID_REQUEST", str(error))
    return json_answer(
        {"cluster": name, "total": found.total, "next": found.following, "probes": found.rows}
    )
