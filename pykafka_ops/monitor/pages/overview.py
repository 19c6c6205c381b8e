"""What an operator needs at three in the morning: what is broken and why, who suffers, what
changed, the brokers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from pykafka_ops.analysis.lag.rows import STATUSES
from pykafka_ops.monitor.cluster.view import ClusterView, WatchedGroup
from pykafka_ops.monitor.history.model import HistoryEvent
from pykafka_ops.monitor.pages import columns
from pykafka_ops.monitor.pages.frame import PageRequest, address, block, document, table
from pykafka_ops.monitor.told.causes import broken
from pykafka_ops.monitor.told.text import moment, safe
from pykafka_ops.monitor.told.verdict import staleness, suffers, verdict
from pykafka_ops.page.markup import Markup, el, join

MOST: Final = 20
"""Causes, groups and moves that are named."""
Rows = Sequence[Mapping[str, Any]]


def overview(
    asked: PageRequest, view: ClusterView, groups: Rows, moves: Rows, events: Iterable[HistoryEvent]
) -> str:
    """Of one cluster. ``groups`` are the rows of those that ``suffer``."""
    parts: list[Markup | None] = [_broken(view), _not_asked(view), _suffering(asked, view, groups)]
    if moves:
        parts.append(
            block(f"Moves under way: {len(moves)}", "pko reassign-partitions status",
                  table(columns.MOVES, moves[:MOST], ""))
        )  # fmt: skip
    told = [{"at": moment(e.at_ms), "text": e.text} for e in events]
    parts.append(
        block("What changed", f"/api/v1/clusters/{asked.cluster}/events",
              table(columns.EVENTS, told, "nothing in the last six hours"))
    )  # fmt: skip
    parts.append(
        block("Brokers", "pko cluster status", table(columns.BROKERS, view.brokers, "not known"))
    )
    return document(asked, view, "Overview", *parts)


def suffering_groups(groups: Iterable[WatchedGroup]) -> list[WatchedGroup]:
    """Those that deserve a look, the worst first."""
    found = [g for g in groups if suffers(g)]
    return sorted(found, key=lambda g: (-STATUSES.index(g.row.status), -(g.row.lag or 0)))


def _broken(view: ClusterView) -> Markup:
    causes = broken(view)
    if not causes:
        text = _nothing(view)
        body = el("p", text, class_="nothing")
    else:
        more = len(causes) - MOST
        items = [el("li", el("bdi", cause)) for cause in causes[:MOST]]
        body = el("ul", *items, el("li", f"and {more} more") if more > 0 else None, class_="bad")
    return block("What is broken", "pko cluster status", body)


def _nothing(view: ClusterView) -> str:
    """That nothing is broken, as far as that is known."""
    if view.at is None:
        return "not known yet"
    if view.error is not None:
        return "nothing, when it was asked last"
    return "nothing that is known" if view.not_asked else "nothing"


def _not_asked(view: ClusterView) -> Markup | None:
    if not view.not_asked:
        return None
    items = [
        el("li", el("bdi", f"{safe(told.what)}: {safe(told.message)} [{safe(told.error)}]"))
        for told in view.not_asked[:MOST]
    ]
    more = len(view.not_asked) - MOST
    items += [el("li", f"and {more} more")] if more > 0 else []
    return block("What could not be asked", "pko cluster status", el("ul", *items, class_="warn"))


def _suffering(asked: PageRequest, view: ClusterView, groups: Rows) -> Markup:
    if view.groups is None:
        body = el("p", "not known: no broker listed its groups", class_="nothing")
        return block("Who suffers", "pko groups lag", body)
    rest = len(groups) - MOST
    more = None
    if rest > 0:
        link = el("a", f"{rest} more", href=address(asked.cluster, "groups") + "?status=!OK")
        more = el("p", join("and ", link), class_="more")
    body = table(columns.suffering(asked.cluster), groups[:MOST], "no group suffers")
    title = f"Who suffers: {len(groups)} of {len(view.groups)} groups"
    return block(title, "pko groups lag", body, more)


def clusters(asked: PageRequest, views: Sequence[ClusterView]) -> str:
    """All clusters, a sentence each."""
    items = []
    for view in views:
        said, old = verdict(view), staleness(view, asked.now, asked.poll_ms)
        items.append(
            el("section",
               el("h2", el("a", el("bdi", view.name), href=address(view.name))),
               el("p", said.text, class_=f"headline {said.tone}"),
               el("p", old.text, class_=f"stale {old.tone}") if old else None)
        )  # fmt: skip
    return document(asked, None, "Clusters", el("h1", "Clusters"), *items)
