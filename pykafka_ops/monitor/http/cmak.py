"""The reading part of CMAK's API (yahoo/CMAK, conf/routes): ``/api/status`` and ``/api/health``.

Errors are answered as CMAK does, 400 and ``{"msg": ...}``. Where it writes JSON as plain text, so
do we.
"""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from pykafka_ops.client.group_describe import SHARE
from pykafka_ops.monitor.cluster.view import ClusterView, WatchedGroup, WatchedTopic
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.cmak import bodies
from pykafka_ops.monitor.cmak.bodies import CONSUMER_TYPE, Body
from pykafka_ops.monitor.cmak.pretty import pretty
from pykafka_ops.monitor.http.answers import NO_STORE, json_answer
from pykafka_ops.monitor.http.app import service_of

Answer = Callable[[Request, WatchedCluster, ClusterView], "Body | Response"]


def routes() -> list[BaseRoute]:
    """The routes of this door."""
    of = "/api/status/{cluster}"
    group = f"{of}/{{group}}"
    return [
        Route("/api/health", lambda _: PlainTextResponse("healthy")),
        Route("/api/status/clusters", _clusters),
        Route(f"{of}/brokers", _of_cluster(lambda _, __, view: bodies.broker_ids(view))),
        Route(f"{of}/brokers/extended", _of_cluster(_extended)),
        Route(f"{of}/topics", _of_cluster(_topics)),
        Route(f"{of}/topicIdentities", _of_cluster(_identities)),
        Route(f"{of}/consumersSummary", _of_cluster(_consumers)),
        Route(f"{of}/{{topic}}/underReplicatedPartitions", _of_topic(bodies.under_replicated)),
        Route(f"{of}/{{topic}}/unavailablePartitions", _of_topic(bodies.unavailable)),
        Route(f"{group}/{{topic}}/{{type}}/topicSummary", _of_cluster(_topic_summary)),
        Route(f"{group}/{{type}}/groupSummary", _of_cluster(_group_summary)),
    ]


def _wrong(message: str) -> Response:
    return json_answer({"msg": message}, 400)


def _plain(body: Body) -> Response:
    text = pretty(body).encode("utf-8", "replace")
    return Response(text, headers=NO_STORE, media_type="text/plain")


def _clusters(request: Request) -> Response:
    return _plain(bodies.clusters(list(service_of(request).clusters)))


def _of_cluster(answer: Answer) -> Callable[[Request], Response]:
    """An endpoint of a cluster that was asked at least once."""

    def endpoint(request: Request) -> Response:
        name = request.path_params["cluster"]
        watched = service_of(request).clusters.get(name)
        if watched is None:
            return _wrong(f"Unknown cluster : {name}")
        view = watched.view
        if not view.number:
            why = view.error.message if view.error else "the first round is under way"
            return _wrong(f"cluster {name} did not answer yet: {why}")
        body = answer(request, watched, view)
        return body if isinstance(body, Response) else json_answer(body)

    return endpoint


def _of_topic(body: Callable[[WatchedTopic], Body]) -> Callable[[Request], Response]:
    def answer(request: Request, watched: WatchedCluster, view: ClusterView) -> Body | Response:
        name = request.path_params["topic"]
        topic = (view.topics or {}).get(name)
        return _wrong(f"Unknown topic : {name}") if topic is None else body(topic)

    return _of_cluster(answer)


def _extended(request: Request, watched: WatchedCluster, view: ClusterView) -> Body:
    shown = service_of(request).shown.get(view.name)
    return bodies.brokers_extended(view, shown.protocol if shown else "PLAINTEXT")


def _topics(request: Request, watched: WatchedCluster, view: ClusterView) -> Body:
    return {"topics": sorted(view.topics or {})}


def _identities(request: Request, watched: WatchedCluster, view: ClusterView) -> Response:
    return _plain(bodies.topic_identities(view, watched.ends))


def _group(request: Request, view: ClusterView) -> WatchedGroup | Response:
    name, kind = request.path_params["group"], request.path_params["type"]
    group = (view.groups or {}).get(name)
    if group is None or group.type == SHARE or kind.upper() != CONSUMER_TYPE:
        return _wrong(f"Unknown consumer : {name} of type {kind}")
    return group


def _summaries(watched: WatchedCluster, view: ClusterView, group: WatchedGroup) -> dict[str, Body]:
    """By topic that the group reads or has committed."""
    committed = watched.committed(group.row.group)
    return {
        topic: bodies.topic_summary(
            (view.topics or {}).get(topic), group, topic, committed.get(topic, ())
        )
        for topic in sorted(group.topics)
    }


def _topic_summary(request: Request, watched: WatchedCluster, view: ClusterView) -> Body | Response:
    group, topic = _group(request, view), request.path_params["topic"]
    if isinstance(group, Response):
        return group
    found = _summaries(watched, view, group).get(topic)
    return found or _wrong(f"Unknown topic : {topic} of consumer {group.row.group}")


def _group_summary(request: Request, watched: WatchedCluster, view: ClusterView) -> Body | Response:
    group = _group(request, view)
    return group if isinstance(group, Response) else dict(_summaries(watched, view, group))


def _consumers(request: Request, watched: WatchedCluster, view: ClusterView) -> Response:
    if view.groups is None:
        return _wrong("no broker listed its groups")
    found = [
        bodies.consumer(name, _summaries(watched, view, group))
        for name, group in view.groups.items()
        if group.type != SHARE
    ]
    return _plain({"consumers": found})
