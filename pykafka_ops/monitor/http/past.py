"""``/api/v1``: what was before. Series, the timeline, alerts."""

from __future__ import annotations

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from pykafka_ops.analysis.moments import moment, span
from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.cluster.watcher import now_ms
from pykafka_ops.monitor.history.model import SeriesKey
from pykafka_ops.monitor.http.answers import json_answer, no_cluster, refused
from pykafka_ops.monitor.http.app import service_of
from pykafka_ops.monitor.http.query import whole
from pykafka_ops.monitor.service import Service

STEPS: Final = 240
"""Points of an answer, where no step is asked for."""
MOST_POINTS: Final = 10_000
MOST_EVENTS: Final = 1_000


def routes() -> list[BaseRoute]:
    """The routes of this door."""
    of = "/api/v1/clusters/{cluster}"
    return [
        Route(f"{of}/history", _history),
        Route(f"{of}/events", _events),
        Route("/api/v1/alerts", _alerts),
    ]


def _unknown(request: Request, service: Service) -> Response | None:
    name = request.path_params["cluster"]
    if service.view(name) is None:
        return no_cluster(name, service.clusters)
    return None


def _period(request: Request) -> tuple[int, int]:
    """``from`` (default: an hour ago) and ``to`` (default: now). UsageError."""
    now = now_ms()
    since, _ = moment(request.query_params.get("from", "1h"), now)
    text = request.query_params.get("to")
    until = now + 1 if text is None else moment(text, now)[0]
    if until <= since:
        raise UsageError("to is not after from")
    return since, until


def _history(request: Request) -> Response:
    service = service_of(request)
    if (missing := _unknown(request, service)) is not None:
        return missing
    if service.history is None:
        return refused(503, "NO_HISTORY", "this monitor keeps no history")
    query = request.query_params
    try:
        since, until = _period(request)
        step = span(query["step"]) if "step" in query else max(1, (until - since) // STEPS)
        if step <= 0 or (until - since) / step > MOST_POINTS:
            raise UsageError(f"step: at most {MOST_POINTS} points are sent")
        key = SeriesKey(query.get("kind", ""), query.get("name", ""), query.get("fact", ""))
    except UsageError as error:
        return refused(400, "INVALID_REQUEST", str(error))
    cluster = request.path_params["cluster"]
    if not key.kind or not key.name:
        return refused(400, "INVALID_REQUEST", "say kind (group, topic, ...) and name")
    if not key.fact:
        found = service.history.series(cluster, key.kind, key.name)
        facts = sorted({one.fact for one in found if one.name == key.name})
        return json_answer({"cluster": cluster, "facts": facts})
    points = service.history.read(cluster, key, since, until, step)
    return json_answer(
        {"cluster": cluster, "from": since, "to": until, "step_ms": step,
         "points": [list(point) for point in points]}
    )  # fmt: skip


def _events(request: Request) -> Response:
    service = service_of(request)
    if (missing := _unknown(request, service)) is not None:
        return missing
    if service.history is None:
        return refused(503, "NO_HISTORY", "this monitor keeps no history")
    cluster = request.path_params["cluster"]
    try:
        since, until = _period(request)
        limit = whole(request.query_params, "limit", 100, MOST_EVENTS)
        cursor = request.query_params.get("cursor", "")
        events, following = service.history.events(cluster, since, until, limit, cursor)
    except (UsageError, ValueError) as error:
        return refused(400, "INVALID_REQUEST", str(error))
    rows = [event._asdict() for event in events]
    return json_answer({"cluster": cluster, "events": rows, "next": following or None})


def _alerts(request: Request) -> Response:
    service = service_of(request)
    state = service.alerts_now()
    if state is None:
        return refused(503, "NO_ALERTS", "this monitor sends no alerts")
    body: dict[str, Any] = {
        "leads": state.leads,
        "trouble": state.trouble or None,
        "firing": [alert.as_dict() for alert in state.firing],
        "pending": [alert.as_dict() for alert in state.pending],
        "past": [alert.as_dict() for alert in state.past],
        "silences": [
            {"id": s.id, "until": s.until, "who": s.who, "why": s.why, "start": s.start,
             "patterns": {name: pattern.pattern for name, pattern in s.patterns.items()}}
            for s in state.silences
        ],
    }  # fmt: skip
    return json_answer(_finite(body))


def _finite(value: Any) -> Any:
    """Infinity, of what never comes, as text: JSON has no number for it."""
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return "never"
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_finite(one) for one in value]
    return value
