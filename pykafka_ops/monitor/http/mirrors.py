"""Mirror links: ``/mirrors``, a page for each, ``/api/v1/mirrors``.

A link is shown to who may see its target and, where that is watched, its source.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from pykafka_ops.monitor.cluster.links import MirrorLink
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.http.answers import json_answer, refused
from pykafka_ops.monitor.http.app import service_of
from pykafka_ops.monitor.http.details import events_of
from pykafka_ops.monitor.http.figures import chart_past
from pykafka_ops.monitor.http.paging import asked_of, found, html, not_there, page
from pykafka_ops.monitor.http.query import listing
from pykafka_ops.monitor.pages import lists
from pykafka_ops.monitor.pages.frame import PageRequest
from pykafka_ops.monitor.pages.mirrors import FACTS, LinkShown, link_page, link_row, mirrors
from pykafka_ops.monitor.service import Service

PARTITIONS = "partitions"
"""With this in its query the API lists partitions in the place of topics."""


def routes() -> list[BaseRoute]:
    """The routes of this door."""
    return [
        Route("/mirrors", _mirrors),
        Route("/c/{cluster}/mirrors/{link:path}", page(_link)),
        Route("/api/v1/mirrors", _api),
    ]


def _seen(service: Service) -> Iterator[tuple[ClusterView, MirrorLink]]:
    for watched in service.clusters.values():
        for link in watched.view.links:
            if link.source_cluster is None or link.source_cluster in service.clusters:
                yield watched.view, link


def _mirrors(request: Request) -> Response:
    service = service_of(request)
    asked = asked_of(request, service, "")
    rows = [link_row(view.name, link) for view, link in _seen(service)]
    try:
        return html(mirrors(asked, found(asked, rows)))
    except ValueError as error:
        return html(lists.missing(asked, None, f"{error}."), 400)


def _link(request: Request, asked: PageRequest, view: ClusterView) -> str | Response:
    service, name = service_of(request), request.path_params["link"]
    link = next((one for of, one in _seen(service) if of is view and one.name == name), None)
    if link is None:
        return not_there(asked, view, f"There is no mirror {name}.")
    rows = service.clusters[view.name].link_rows.get(name, ())
    shown = LinkShown(
        link,
        found(asked, [row._asdict() for row in rows]),
        chart_past(service.history, ("mirror", name), FACTS, asked),
        events_of(service.history, asked, "mirror", name),
    )
    return link_page(asked, view, shown)


def _api(request: Request) -> Response:
    """As ``pko mirror status -o json``, with what is known of whole links beside."""
    service = service_of(request)
    query = dict(request.query_params)
    by_partition = query.pop(PARTITIONS, "false")
    if by_partition not in ("true", "false"):
        return refused(400, "INVALID_REQUEST", f"{PARTITIONS}: say true or false")
    links, items = [], list[dict[str, Any]]()
    for view, link in _seen(service):
        age = service.age_seconds(view)
        links.append({**link_row(view.name, link), "age_seconds": age})
        if by_partition == "true":
            rows = service.clusters[view.name].link_rows.get(link.name, ())
            items += [{"cluster": view.name, **row._asdict()} for row in rows]
        else:
            items += [{"cluster": view.name, **row} for row in link.topics]
    try:
        listed = listing(query, items)
    except ValueError as error:
        return refused(400, "INVALID_REQUEST", str(error))
    errors = [{"link": one["link"], "error": text} for one in links for text in one["troubles"]]
    return json_answer(
        {
            "kind": "mirror-partitions" if by_partition == "true" else "mirror-topics",
            "version": 1,
            "items": listed.rows,
            "errors": errors,
            "links": links,
            "total": listed.total,
            "next": listed.following,
        }
    )
