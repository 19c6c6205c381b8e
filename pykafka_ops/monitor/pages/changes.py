"""The timeline: all that changed, by kind and words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlencode

from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.history.model import HistoryEvent
from pykafka_ops.monitor.pages.events import timeline
from pykafka_ops.monitor.pages.frame import PageRequest, block, document
from pykafka_ops.monitor.pages.pictures import periods
from pykafka_ops.page.markup import Markup, el

KINDS: Final = ("broker", "controller", "leader", "isr", "topic", "config", "group", "cluster")


def changes(
    asked: PageRequest,
    view: ClusterView,
    events: Sequence[HistoryEvent] | None,
    following: str = "",
) -> str:
    """The page of the timeline; ``events`` None: no history is kept; ``following``: the cursor of
    older ones, "" none."""
    if events is None:
        body = el("p", "This monitor keeps no history.", class_="nothing")
        return document(asked, view, "Timeline", block("Timeline", "", body))
    older = None
    if following:
        query = urlencode({**asked.query, "cursor": following})
        older = el("p", el("a", "older", href=f"?{query}"), class_="pager")
    days = timeline(events, "nothing like that", dated=True)
    return document(
        asked, view, "Timeline", periods(asked.query), _form(asked),
        block(f"What changed: {len(events):,} shown", "", days, older),
    )  # fmt: skip


def _form(asked: PageRequest) -> Markup:
    chosen = asked.query.get("kind", "")
    options = [
        el("option", kind or "all kinds", value=kind, selected=kind == chosen)
        for kind in ("", *KINDS)
    ]
    past = asked.query.get("past")
    return el(
        "form",
        el("input", type="hidden", name="past", value=past) if past else None,
        el("label", "Kind ", el("select", *options, name="kind")),
        el("label", "Words ", el("input", type="search", name="search", id="filter",
                                 value=asked.query.get("search", ""), autocomplete="off")),
        el("button", "Filter"),
        method="get",
    )  # fmt: skip
