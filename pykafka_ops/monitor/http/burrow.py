"""Burrow's HTTP API v3 (linkedin/Burrow, core/internal/httpserver)."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from pykafka_ops.monitor.burrow import bodies, modules
from pykafka_ops.monitor.burrow.found import is_known, partitions, topics
from pykafka_ops.monitor.burrow.go_json import encode
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.cluster.watcher import now_ms
from pykafka_ops.monitor.http.app import service_of, whole_service
from pykafka_ops.monitor.http.gate import may, may_some, person_of

LEVELS: Final = {
    "debug": logging.DEBUG, "trace": logging.DEBUG, "info": logging.INFO,
    "warning": logging.WARNING, "warn": logging.WARNING, "error": logging.ERROR,
    "fatal": logging.CRITICAL,
}  # fmt: skip
MOST_BODY: Final = 4096
CLUSTER_MISSING: Final = "cluster not found"
Endpoint = Callable[[Request, WatchedCluster, ClusterView], Response]


def routes() -> list[BaseRoute]:
    """The routes of this door."""
    of = "/v3/kafka/{cluster}"
    group = f"{of}/consumer/{{consumer}}"
    return [
        Route("/burrow/admin", lambda _: PlainTextResponse("GOOD")),
        Route("/burrow/admin/ready", _ready),
        Route("/v3/kafka", _clusters),
        Route(of, _cluster),
        Route(f"{of}/topic", _known(_topics)),
        Route(f"{of}/topic/{{topic}}", _known(_topic, "cluster or topic not found")),
        Route(f"{of}/topic/{{topic}}/consumers", _known(_topic_consumers)),
        Route(f"{of}/consumer", _known(_consumers)),
        Route(group, _known(_consumer, "cluster or consumer not found"), methods=["GET"]),
        Route(group, _forget, methods=["DELETE"]),
        Route(f"{group}/status", _status),
        Route(f"{group}/lag", _status),
        Route(f"{group}/topic/{{topic}}", _forget, methods=["DELETE"]),
        Route("/v3/config", _config),
        Route("/v3/config/{kind}", _modules),
        Route("/v3/config/{kind}/{name}", _module),
        Route("/v3/admin/loglevel", _level, methods=["GET"]),
        Route("/v3/admin/loglevel", _set_level, methods=["POST"]),
        Route("/v3/{rest:path}", _other),
        Route("/burrow/{rest:path}", _other),
    ]


def _answer(body: dict[str, Any], status: int = 200) -> Response:
    text = encode(body).encode("utf-8", "replace")
    return Response(text, status, media_type="application/json")


def _request(request: Request) -> dict[str, str]:
    """What was asked of whom: a part of every answer."""
    return {"url": request.url.path, "host": service_of(request).host}


def _said(request: Request, message: str, status: int = 200, **fields: Any) -> Response:
    """An answer with its message; from 400 on an error."""
    asked = _request(request)
    return _answer(bodies.body(message, asked, error=status >= 400, **fields), status)


def _known(endpoint: Endpoint, missing: str = CLUSTER_MISSING) -> Callable[[Request], Response]:
    """An endpoint of a cluster that is watched."""

    def found(request: Request) -> Response:
        watched = service_of(request).clusters.get(request.path_params["cluster"])
        if watched is None:
            return _said(request, missing, 404)
        return endpoint(request, watched, watched.view)

    return found


def _other(request: Request) -> Response:
    """As julienschmidt/httprouter: an address with one slash too many leads to the right one."""
    path = request.url.path
    if path.endswith("/") and len(path) > 4:
        return RedirectResponse(path.rstrip("/"), 301)
    return _invalid(request)


def _invalid(request: Request) -> Response:
    text = encode({"error": True, "message": "invalid request type", "result": {}})
    return PlainTextResponse(f"{text}\n", 404)


def _ready(request: Request) -> Response:
    is_ready = whole_service(request).is_ready()
    return PlainTextResponse("READY" if is_ready else "STARTING", 200 if is_ready else 503)


def _clusters(request: Request) -> Response:
    return _said(request, "cluster list returned", clusters=list(service_of(request).clusters))


def _cluster(request: Request) -> Response:
    found = modules.modules("cluster", service_of(request).shown)
    module = found.get(request.path_params["cluster"])
    if module is None:
        return _said(request, "cluster module not found", 404)
    asked = _request(request)
    said = {"error": False, "message": "cluster module detail returned", "module": module}
    return _answer({**said, "request": asked})


def _topics(request: Request, watched: WatchedCluster, view: ClusterView) -> Response:
    return _said(request, "topic list returned", topics=list(view.topics or {}))


def _topic(request: Request, watched: WatchedCluster, view: ClusterView) -> Response:
    topic = (view.topics or {}).get(request.path_params["topic"])
    if topic is None:
        return _said(request, "cluster or topic not found", 404)
    known = [end for end in topic.ends if end >= 0]
    return _said(request, "topic offsets returned", offsets=known)


def _topic_consumers(request: Request, watched: WatchedCluster, view: ClusterView) -> Response:
    topic = request.path_params["topic"]
    every = (view.groups or {}).items()
    found = [name for name, group in every if topic in topics(watched, name, group)]
    return _said(request, "consumers of topic returned", consumers=found)


def _consumers(request: Request, watched: WatchedCluster, view: ClusterView) -> Response:
    found = [name for name, group in (view.groups or {}).items() if topics(watched, name, group)]
    return _said(request, "consumer list returned", consumers=found)


def _consumer(request: Request, watched: WatchedCluster, view: ClusterView) -> Response:
    name = request.path_params["consumer"]
    group = (view.groups or {}).get(name)
    if group is None or not is_known(group):
        return _said(request, "cluster or consumer not found", 404)
    detail = dict(bodies.consumer_detail(partitions(watched, name)))
    return _said(request, "consumer detail returned", topics=detail)


def _status(request: Request) -> Response:
    cluster, name = request.path_params["cluster"], request.path_params["consumer"]
    watched = service_of(request).clusters.get(cluster)
    asked = _request(request)
    message = "consumer status returned"
    group = None if watched is None else (watched.view.groups or {}).get(name)
    if watched is None or group is None or not is_known(group):
        status = bodies.not_found(cluster, name)
        return _answer(bodies.body(message, asked, status=status), 404)
    everything = request.url.path.endswith("/lag")
    found = partitions(watched, name)
    now = watched.clocks.time(group.coordinator, now_ms()).ms
    status = bodies.group(cluster, name, found, now, everything=everything)
    return _answer(bodies.body(message, asked, status=status))


def _forget(request: Request) -> Response:
    cluster, group = request.path_params["cluster"], request.path_params["consumer"]
    watched = service_of(request).clusters.get(cluster)
    if watched is not None:  # Burrow says the same of what it does not know
        if not may(request, "forget", cluster, group):
            return _may_not(request, "forget")
        watched.forget(group, request.path_params.get("topic"))
    return _said(request, "consumer group removed")


def _may_not(request: Request, right: str) -> Response:
    return _said(request, f"{person_of(request).name} has no right {right}", 403)


def _asked(request: Request, message: str, **fields: Any) -> Response:
    """Answers of ``/v3/config``, which have the request before the rest."""
    asked = _request(request)
    return _answer({"error": False, "message": message, "request": asked, **fields})


def _config(request: Request) -> Response:
    level = logging.getLevelName(logging.getLogger().level).lower()
    parts = modules.main(request.url.netloc, level)
    return _asked(request, "main config returned", **parts)


def _modules(request: Request) -> Response:
    kind = request.path_params["kind"]
    if kind not in modules.KINDS:
        return _invalid(request)
    found = list(modules.modules(kind, service_of(request).shown))
    return _asked(request, "module list returned", coordinator=kind, modules=found)


def _module(request: Request) -> Response:
    kind, name = request.path_params["kind"], request.path_params["name"]
    if kind not in modules.KINDS:
        return _invalid(request)
    found = modules.modules(kind, service_of(request).shown).get(name)
    if found is None:
        return _said(request, f"{kind} module not found", 404)
    said = {"error": False, "message": f"{kind} module detail returned", "module": found}
    asked = _request(request)
    return _answer({**said, "request": asked})


def _level(request: Request) -> Response:
    level = logging.getLevelName(logging.getLogger().level).lower()
    return _said(request, "log level returned", level=level)


async def _set_level(request: Request) -> Response:
    if not may_some(request, "log-level", ""):
        return _may_not(request, "log-level")
    data = b""
    async for chunk in request.stream():
        data += chunk
        if len(data) > MOST_BODY:
            return _said(request, "could not decode message body", 400)
    try:
        level = json.loads(data)["level"]
    except (ValueError, KeyError, TypeError):
        return _said(request, "could not decode message body", 400)
    wanted = LEVELS.get(level.lower()) if isinstance(level, str) else None
    if wanted is None:
        return _said(request, "unknown log level", 404)
    logging.getLogger().setLevel(wanted)
    return _said(request, "set log level")
