"""The pages of one group, one topic, one broker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.monitor.cluster import questions
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.cluster.watched import WatchedCluster
from pykafka_ops.monitor.disks import DiskWatch
from pykafka_ops.monitor.history.model import HistoryEvent
from pykafka_ops.monitor.history.store import History
from pykafka_ops.monitor.http.app import service_of
from pykafka_ops.monitor.http.enquire import enquire
from pykafka_ops.monitor.http.figures import chart_past
from pykafka_ops.monitor.http.paging import found, not_there, page, row_query
from pykafka_ops.monitor.http.query import chosen
from pykafka_ops.monitor.http.rows import (
    bytes_by_broker,
    bytes_by_partition,
    group_alone,
    group_row,
    partition_rows,
    topic_body,
)
from pykafka_ops.monitor.pages import broker, group, topic
from pykafka_ops.monitor.pages.frame import ROWS, PageRequest
from pykafka_ops.monitor.pages.pictures import HOUR

EVENTS_MS: Final = 168 * HOUR
MOST_EVENTS: Final = 1000
SHOWN_EVENTS: Final = 30


def routes(disks: DiskWatch) -> list[BaseRoute]:
    """The routes of this door."""
    of = "/c/{cluster}"
    return [
        Route(f"{of}/groups/{{group:path}}", page(_group)),
        Route(f"{of}/topics/{{topic}}", page(_topic)),
        Route(f"{of}/brokers/{{broker:int}}", page(partial(_broker, disks))),
    ]


def _group(request: Request, asked: PageRequest, view: ClusterView) -> str | Response:
    service = service_of(request)
    name = request.path_params["group"]
    watched = service.clusters[view.name]
    body = group_alone(watched, name)
    if body is None:
        return not_there(asked, view, f"There is no group {name}.")
    with watched.partitions(name) as partitions:
        total, following, numbers = chosen(row_query(asked), partitions, ROWS)
        listed = partition_rows(partitions.rows(numbers))
        first = partition_rows(partitions.rows(range(len(partitions))[:1]))
    rows = total, following, [_with_commit(watched, name, row) for row in listed]
    past = chart_past(service.history, ("group", name), group.FACTS, asked)
    worst = _worst(watched, name, body["worst"] or next(iter(first), None))
    events = events_of(service.history, asked, "group", name)
    return group.group(asked, view, group.GroupShown(body, rows, past, worst, events))


def _with_commit(watched: WatchedCluster, name: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """A partition with the time of its last commit (ms)."""
    ring = watched.ring(name, row["topic"], row["partition"])
    return {**row, "last_commit": ring[-1].timestamp if ring else None}


def _worst(
    watched: WatchedCluster, name: str, worst: Mapping[str, Any] | None
) -> tuple[str, Sequence[Commit]]:
    """The partition that is worst off, and its last commits."""
    if worst is None:
        return "", ()
    where = worst["topic"], worst["partition"]
    return f"{where[0]}-{where[1]}", watched.ring(name, *where)


def events_of(
    history: History | None, asked: PageRequest, kind: str, subject: str
) -> list[HistoryEvent] | None:
    """What happened to one subject in a week, the newest first; None without a history. Settings
    of a topic are of its kind."""
    if history is None:
        return None
    kinds = (kind, "config") if kind == "topic" else (kind,)
    found, _ = history.events(asked.cluster, asked.now - EVENTS_MS, asked.now + 1, MOST_EVENTS)
    mine = [e for e in found if e.kind in kinds and e.subject == subject]
    return mine[:SHOWN_EVENTS]


def _topic(request: Request, asked: PageRequest, view: ClusterView) -> str | Response:
    service = service_of(request)
    name = request.path_params["topic"]
    watched = service.clusters[view.name]
    body = topic_body(view, name)
    if body is None:
        return not_there(asked, view, f"There is no topic {name}.")
    sizes, rates = bytes_by_partition(view, name), watched.rates(name)
    for row in body["rows"]:
        number = row["number"]
        row["bytes"] = sizes.get(number)
        row["rate_in"] = rates[number] if number < len(rates) else None
    readers = None
    if view.groups is not None:
        readers = [group_row(g) for g in view.groups.values() if name in g.topics]
        readers.sort(key=lambda row: -(row["lag"] or 0))
    settings = enquire(
        watched, ("settings", "topic", name), partial(questions.topic_settings, topic=name)
    )
    past = chart_past(service.history, ("topic", name), topic.FACTS, asked)
    shown = topic.TopicShown(
        body,
        found(asked, body["rows"]),
        bytes_by_broker(view, name),
        settings,
        readers,
        past,
        events_of(service.history, asked, "topic", name),
    )
    return topic.topic(asked, view, shown)


def _broker(
    disks: DiskWatch, request: Request, asked: PageRequest, view: ClusterView
) -> str | Response:
    service = service_of(request)
    id_: int = request.path_params["broker"]
    row = next((r for r in view.brokers if r["id"] == id_), None)
    if row is None:
        return not_there(asked, view, f"There is no broker {id_}.")
    settings = enquire(
        service.clusters[view.name],
        ("settings", "broker", str(id_)),
        partial(questions.broker_settings, broker=id_),
    )
    subject = ("broker", str(id_))
    shown = broker.BrokerShown(
        row,
        (view.dirs or {}).get(id_),
        disks.one(service.history, view, id_, asked.now),
        settings,
        chart_past(service.history, subject, broker.FACTS, asked),
        events_of(service.history, asked, *subject),
    )
    return broker.broker(asked, view, shown)
