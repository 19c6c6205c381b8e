"""``/api/v1``: what pages and scripts read; rows as ``pko ... -o json`` has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.http.answers import json_answer, no_cluster, refused
from pykafka_ops.monitor.http.app import service_of
from pykafka_ops.monitor.http.query import listing
from pykafka_ops.monitor.http.rows import (
    group_body,
    group_rows,
    move_rows,
    quorum_body,
    topic_body,
    topic_rows,
)
from pykafka_ops.monitor.service import Service

Body = dict[str, Any]
Answer = Callable[[Request, ClusterView], Body | Response]


def routes() -> list[BaseRoute]:
    """The routes of this door."""
    of = "/api/v1/clusters/{cluster}"
    return [
        Route("/api/v1/clusters", _clusters),
        Route(of, _of_cluster(_status)),
        Route(f"{of}/brokers", _of_cluster(_brokers)),
        Route(f"{of}/topics", _of_cluster(_topics)),
        Route(f"{of}/topics/{{topic}}", _of_cluster(_topic)),
        Route(f"{of}/groups", _of_cluster(_groups)),
        Route(f"{of}/groups/{{group:path}}", _of_cluster(_group)),
        Route(f"{of}/moves", _of_cluster(_moves)),
    ]


def _of_cluster(answer: Answer) -> Callable[[Request], Response]:
    """An endpoint that needs a cluster which was asked at least once."""

    def endpoint(request: Request) -> Response:
        service = service_of(request)
        name = request.path_params["cluster"]
        view = service.view(name)
        if view is None:
            return no_cluster(name, service.clusters)
        if not view.number:
            why = view.error.message if view.error else "the first round is under way"
            return refused(503, "NOT_KNOWN_YET", f"cluster {name} did not answer yet: {why}")
        try:
            body = answer(request, view)
        except ValueError as error:
            return refused(400, "INVALID_REQUEST", str(error))
        if isinstance(body, Response):
            return body
        return json_answer({"cluster": name, "poll": poll_of(service, view), **body})

    return endpoint


def poll_of(service: Service, view: ClusterView) -> Body:
    """When a view was asked, how long that took, and what could not be had."""
    return {
        "number": view.number,
        "at": view.at,
        "age_seconds": service.age_seconds(view),
        "took_ms": view.took_ms,
        "error": view.error._asdict() if view.error else None,
        "not_asked": [missing._asdict() for missing in view.not_asked],
    }


def _clusters(request: Request) -> Response:
    service = service_of(request)
    rows = []
    for name, watched in service.clusters.items():
        view = watched.view
        rows.append({"name": name, "poll": poll_of(service, view), **_short(view)})
    return json_answer({"clusters": rows})


def _short(view: ClusterView) -> Body:
    return {
        "cluster_id": view.cluster_id,
        "controller": None if view.controller < 0 else view.controller,
        "facts": view.facts,
    }


def _status(request: Request, view: ClusterView) -> Body:
    troubled = view.troubled or {}
    named = {kind: [f"{t}-{n}" for t, n in found] for kind, found in troubled.items()}
    elr = sorted((view.eligible or {}).items())
    named["elr"] = [f"{t}-{n}" for (t, n), found in elr if found.elr]
    named["last_known_elr"] = [f"{t}-{n}" for (t, n), found in elr if found.last_known]
    return {
        **_short(view),
        "partitions": named,
        "fenced": view.fenced,
        "quorum": quorum_body(view),
        "brokers": list(view.brokers),
    }


def _brokers(request: Request, view: ClusterView) -> Body:
    return {"brokers": list(view.brokers)}


def _topics(request: Request, view: ClusterView) -> Body:
    return _listed(request, "topics", topic_rows(view))


def _topic(request: Request, view: ClusterView) -> Body | Response:
    name = request.path_params["topic"]
    return topic_body(view, name) or refused(404, "UNKNOWN_TOPIC", f"no topic {name}")


def _groups(request: Request, view: ClusterView) -> Body | Response:
    if view.groups is None:
        return refused(503, "NOT_KNOWN_YET", "no broker listed its groups")
    return _listed(request, "groups", group_rows(view))


def _group(request: Request, view: ClusterView) -> Body | Response:
    name = request.path_params["group"]
    body = group_body(service_of(request).clusters[view.name], name)
    return body or refused(404, "UNKNOWN_GROUP", f"no group {name}")


def _moves(request: Request, view: ClusterView) -> Body | Response:
    if view.moves is None:
        return refused(503, "NOT_KNOWN_YET", "the controller did not list its moves")
    return _listed(request, "moves", move_rows(view))


def _listed(request: Request, name: str, rows: Iterable[Mapping[str, Any]]) -> Body:
    found = listing(request.query_params, rows)
    return {"total": found.total, "next": found.following, name: found.rows}
