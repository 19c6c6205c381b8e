"""The pages that are looked at now and then: transactions, moves, elections, ACLs, alerts, the
timeline, the search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from starlette.requests import Request
from starlette.routing import BaseRoute, Route

from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.cluster import questions
from pykafka_ops.monitor.cluster.poller import SETTINGS
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.history.model import HistoryEvent, SeriesKey
from pykafka_ops.monitor.history.store import History
from pykafka_ops.monitor.http.app import service_of
from pykafka_ops.monitor.http.enquire import enquire, transactions_of
from pykafka_ops.monitor.http.figures import chart_past
from pykafka_ops.monitor.http.paging import found, page
from pykafka_ops.monitor.http.rows import progress_rows
from pykafka_ops.monitor.pages import acls, alerts, changes, moves, search, transactions
from pykafka_ops.monitor.pages.frame import ROWS, PageRequest
from pykafka_ops.monitor.pages.pictures import HOUR, period_of
from pykafka_ops.monitor.wording import search as wording_search
from pykafka_ops.monitor.wording.causes import numbered
from pykafka_ops.monitor.wording.moves import moves_left, seconds_left

ETA_MS: Final = 900_000
"""Over how long the rate of moves is taken."""
SEARCH_SECONDS: Final = 0.5
"""How long a search waits for transactional ids."""
MOST_EVENTS: Final = 1000
WEEK_MS: Final = 168 * HOUR
MOST_THROTTLES: Final = 50
"""Brokers that are asked for their throttle."""


def routes() -> list[BaseRoute]:
    """The routes of this door."""
    of = "/c/{cluster}"
    return [
        Route(f"{of}/transactions", page(_transactions)),
        Route(f"{of}/moves", page(_moves)),
        Route(f"{of}/elections", page(_elections)),
        Route(f"{of}/acls", page(_acls)),
        Route(f"{of}/alerts", page(_alerts)),
        Route(f"{of}/timeline", page(_timeline)),
        Route(f"{of}/search", page(_search)),
    ]


def _transactions(request: Request, asked: PageRequest, view: ClusterView) -> str:
    watched = service_of(request).clusters[view.name]
    reply, shown = transactions_of(watched, view, asked.now)
    return transactions.transactions(asked, view, reply, shown)


def _moves(request: Request, asked: PageRequest, view: ClusterView) -> str:
    rows = progress_rows(view)
    sums = moves_left(view, rows)
    if sums is None:
        return moves.moves(asked, view, None)
    service = service_of(request)
    who = {b for row in rows for b in (*row["replicas"], *row["adding"])}
    brokers = sorted(who or {int(str(r["id"])) for r in view.brokers if r["state"] == "up"})
    question = partial(questions.throttles, brokers=brokers[:MOST_THROTTLES])
    seconds = None
    if service.history is not None and sums.left is not None:
        seconds = seconds_left(sums.left, _left(service.history, asked))
    shown = moves.MovesShown(
        sums,
        found(asked, rows),
        seconds,
        enquire(service.clusters[view.name], ("throttles",), question),
        chart_past(service.history, ("cluster", asked.cluster), (moves.LEFT,), asked),
    )
    return moves.moves(asked, view, shown)


def _left(history: History, asked: PageRequest) -> list[tuple[int, float]]:
    """Bytes to go over the last minutes, since there was most to go."""
    key = SeriesKey("cluster", asked.cluster, moves.LEFT)
    points = history.read(asked.cluster, key, asked.now - ETA_MS, asked.now + 1, 1)
    found = [(p.at_ms, float(p.last)) for p in points]
    most = max((left for _, left in found), default=0.0)
    start = max((n for n, (_, left) in enumerate(found) if left == most), default=0)
    return found[start:]


def _elections(request: Request, asked: PageRequest, view: ClusterView) -> str:
    rows = []
    for topic, number in (view.troubled or {}).get("not_preferred", ()):
        watched = (view.topics or {}).get(topic)
        one = None if watched is None else numbered(watched.description.partitions, number)
        if one is not None:
            preferred = one.replicas[0]
            rows.append(
                {"topic": topic, "partition": number, "leader": one.leader, "isr": one.isr,
                 "preferred": preferred,
                 "can": "in sync" if preferred in one.isr else "not in sync"}
            )  # fmt: skip
    lacking = [row for row in view.brokers if row["imbalance_percent"]]
    events = None
    history = service_of(request).history
    if history is not None:
        every, _ = history.events(asked.cluster, asked.now - WEEK_MS, asked.now + 1, MOST_EVENTS)
        events = [e for e in every if e.kind in ("leader", "controller")][:30]
    return moves.elections(asked, view, found(asked, rows), lacking, events)


def _acls(request: Request, asked: PageRequest, view: ClusterView) -> str:
    watched = service_of(request).clusters[view.name]
    reply = enquire(watched, ("acls",), questions.access_rules)
    rows: list[Mapping[str, Any]] = [rule._asdict() for rule in reply.value or ()]
    return acls.acls(asked, view, reply, found(asked, rows))


def _alerts(request: Request, asked: PageRequest, view: ClusterView) -> str:
    return alerts.alerts(asked, view, service_of(request).alerts_now())


def _timeline(request: Request, asked: PageRequest, view: ClusterView) -> str:
    history = service_of(request).history
    if history is None:
        return changes.changes(asked, view, None)
    kind, words = asked.query.get("kind", ""), asked.query.get("search", "").casefold()
    if kind and kind not in changes.KINDS:
        raise ValueError(f"kind={kind[:40]}: say {', '.join(changes.KINDS)}")
    since = asked.now - period_of(asked.query).past_ms
    cursor = asked.query.get("cursor", "")
    shown: list[HistoryEvent] = []
    try:
        every, following = history.events(asked.cluster, since, asked.now + 1, MOST_EVENTS, cursor)
    except UsageError as error:
        raise ValueError(str(error)) from None
    for event in every:
        if (not kind or event.kind == kind) and words in event.text.casefold():
            if len(shown) == ROWS:
                following = f"{shown[-1].at_ms}-{shown[-1].id}"
                break
            shown.append(event)
    return changes.changes(asked, view, shown, following)


def _search(request: Request, asked: PageRequest, view: ClusterView) -> str:
    service = service_of(request)
    wanted = asked.query.get("q", "").strip()
    if len(wanted) < wording_search.LEAST:
        return search.search(asked, view, (), (), (), SETTINGS)
    reply, _ = transactions_of(service.clusters[view.name], view, asked.now, SEARCH_SECONDS)
    ids = reply.value.ids.values() if reply.value else ()
    others = [name for name in service.clusters if wanted.casefold() in name.casefold()]
    things = wording_search.search(view, wanted, ids)
    unsure = _unsure(view, reply.value is None)
    return search.search(asked, view, others, things, unsure, SETTINGS)


def _unsure(view: ClusterView, no_transactions: bool) -> Sequence[str]:
    """What could not be searched."""
    notes = []
    if view.topics is None:
        notes.append("topics: not known yet")
    if view.groups is None:
        notes.append("groups: no broker listed them")
    if no_transactions:
        notes.append("transactional ids: no answer yet")
    return notes
