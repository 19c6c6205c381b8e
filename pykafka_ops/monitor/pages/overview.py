"""What an operator needs at three in the morning: what is broken and why, who suffers, what
changed, how long the disks last, the load."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pykafka_ops.monitor.alerts.rules.model import Alert
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.history.model import HistoryEvent
from pykafka_ops.monitor.pages import columns
from pykafka_ops.monitor.pages.disks import disk_block, disk_tile
from pykafka_ops.monitor.pages.events import alert_list, timeline
from pykafka_ops.monitor.pages.frame import PageColumn, PageRequest, address, block, document, table
from pykafka_ops.monitor.pages.mirrors import brief_links
from pykafka_ops.monitor.pages.tiles import FigureTile, tiles
from pykafka_ops.monitor.wording import line
from pykafka_ops.monitor.wording.causes import fenced_alone
from pykafka_ops.monitor.wording.load import load
from pykafka_ops.monitor.wording.past import Point
from pykafka_ops.monitor.wording.runway import DiskRunway
from pykafka_ops.monitor.wording.text import UNKNOWN, many, rate, safe, size, span, whole
from pykafka_ops.monitor.wording.verdict import loses_soon, staleness, verdict
from pykafka_ops.page.markup import Markup, el, join

MOST: Final = 20
"""Causes, groups, brokers and moves that are named."""
SHOWN_EVENTS: Final = 12
"""Lines of what changed."""
Rows = Sequence[Mapping[str, Any]]


class OverviewShown(NamedTuple):
    """What the page shows beside the view: what is broken, rows of groups that ``suffer``, moves,
    what changed, the alerts that fire (None: there is no alert service), disks, the past of
    ``rate_in`` and ``bytes_in``, the transactions that block."""

    causes: Sequence[str]
    groups: Rows
    moves: Rows
    events: Iterable[HistoryEvent]
    alerts: Sequence[Alert] | None
    disks: Sequence[DiskRunway]
    past: Mapping[str, Sequence[Point]]
    blocked: Markup | None = None


def overview(asked: PageRequest, view: ClusterView, shown: OverviewShown) -> str:
    """Of one cluster."""
    left = [_broken(view, shown.causes), _not_asked(view),
            _suffering(asked, view, shown.groups), shown.blocked,
            brief_links(asked, view.links), _moves(asked, shown.moves),
            _brokers(asked, view)]  # fmt: skip
    right = [_alerts(asked, shown.alerts), _changed(asked, shown.events), disk_block(shown.disks)]
    return document(
        asked, view, "Overview",
        _tiles(asked, view, shown),
        el("div", el("div", *left), el("div", *right), class_="columns"),
    )  # fmt: skip


def _tiles(asked: PageRequest, view: ClusterView, shown: OverviewShown) -> Markup:
    here, written = asked.cluster, load(view)
    some = f"without {many(written.unknown, 'topic')} not known yet" if written.unknown else ""
    bytes_in = UNKNOWN if written.bytes is None else f"{size(round(written.bytes))}/s"
    return tiles(
        FigureTile("Records in", f"{rate(written.records)}/s" if written.records is not None
                   else UNKNOWN, some, past=shown.past.get("rate_in", ())),
        FigureTile("Bytes in", bytes_in, "by the mean record of each topic",
                   past=shown.past.get("bytes_in", ())),
        _brokers_tile(view, address(here, "brokers")),
        _partitions_tile(view, address(here, "topics")),
        _groups_tile(view, shown.groups, address(here, "groups")),
        disk_tile(shown.disks, address(here, "brokers")),
        _alerts_tile(shown.alerts, address(here, "alerts")),
    )  # fmt: skip


def _brokers_tile(view: ClusterView, href: str) -> FigureTile:
    if view.at is None:
        return FigureTile("Brokers up", UNKNOWN, "not known", line.WARN, href)
    up = sum(row["state"] == "up" for row in view.brokers)
    facts = view.facts or {}
    controller = f"controller {view.controller}" if view.controller >= 0 else "no controller"
    if facts.get("no_controller") is None:
        controller = "controller not known"
    fenced = len(fenced_alone(view))
    note = f"{controller}, {fenced} fenced" if fenced else controller
    good = up == len(view.brokers) and view.controller >= 0 and not fenced
    return FigureTile("Brokers up", f"{up} of {len(view.brokers)}", note,
                      line.GOOD if good else line.BAD, href)  # fmt: skip


def _partitions_tile(view: ClusterView, href: str) -> FigureTile:
    facts = view.facts
    if facts is None or facts.get("partitions") is None:
        return FigureTile("Partitions in trouble", UNKNOWN, "not known", line.WARN, href)
    kinds = {"offline": "offline", "under_min_isr": "under min ISR",
             "under_replicated": "under-replicated"}  # fmt: skip
    found = {p for kind in kinds for p in (view.troubled or {}).get(kind, ())}
    said = [
        f"{int(facts.get(kind) or 0)} {word}" for kind, word in kinds.items() if facts.get(kind)
    ]
    note = ", ".join(said) or f"of {int(facts['partitions'] or 0):,}"
    unsure = facts.get("under_min_isr") is None
    tone = line.BAD if found else line.WARN if unsure else line.GOOD
    return FigureTile("Partitions in trouble", whole(len(found)), note, tone, href)


def _groups_tile(view: ClusterView, suffering: Rows, href: str) -> FigureTile:
    if view.groups is None:
        return FigureTile("Groups that suffer", UNKNOWN, "not known", line.WARN, href)
    rows = [g.row for g in view.groups.values()]
    behind = [row.lag_seconds for row in rows if row.lag_seconds]
    unsure = any(row.lag is None for row in rows)
    vague = unsure or any(row.lag and row.lag_seconds is None for row in rows)
    if behind:
        note = f"furthest behind: {span(max(behind))}" + (", as far as is known" if vague else "")
    else:
        note = "how late is not known of all" if vague else "nobody is behind"
    bad = any(
        row["status"] not in ("OK", "UNKNOWN", "WARN") or loses_soon(row["loss_in_seconds"])
        for row in suffering
    )
    tone = line.BAD if bad else line.WARN if suffering or unsure else line.GOOD
    return FigureTile("Groups that suffer", f"{len(suffering)} of {len(view.groups)}", note, tone,
                      href)  # fmt: skip


def _alerts_tile(alerts: Sequence[Alert] | None, href: str) -> FigureTile | None:
    if alerts is None:
        return None
    tone = line.BAD if alerts else line.GOOD
    open_ = sum(not a.acknowledged for a in alerts)
    note = f"{open_} not acknowledged" if alerts else "none fires"
    return FigureTile("Alerts", whole(len(alerts)), note, tone, href)


def _broken(view: ClusterView, causes: Sequence[str]) -> Markup:
    if not causes:
        text = _nothing(view)
        body = el("p", text, class_="nothing")
    else:
        more = len(causes) - MOST
        items = [el("li", el("bdi", cause)) for cause in causes[:MOST]]
        body = el("ul", *items, el("li", f"and {more} more") if more > 0 else None,
                  class_="causes bad")  # fmt: skip
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
        el("li", el("bdi", f"{safe(one.what)}: {safe(one.message)} [{safe(one.error)}]"))
        for one in view.not_asked[:MOST]
    ]
    more = len(view.not_asked) - MOST
    items += [el("li", f"and {more} more")] if more > 0 else []
    body = el("ul", *items, class_="causes warn")
    return block("What could not be asked", "pko cluster status", body)


def _suffering(asked: PageRequest, view: ClusterView, groups: Rows) -> Markup:
    if view.groups is None:
        body = el("p", "not known: no broker listed its groups", class_="nothing")
        return block("Who suffers", "pko groups lag", body)
    rest = len(groups) - MOST
    more = None
    if rest > 0:
        link = el("a", f"{rest} more", href=address(asked.cluster, "groups") + "?status=!OK")
        more = el("p", join("and ", link), class_="more")
    body = table(columns.suffering(asked.cluster), groups[:MOST], "no group suffers",
                 label="Groups that suffer")  # fmt: skip
    title = f"Who suffers: {len(groups)} of {len(view.groups)} groups"
    return block(title, "pko groups lag", body, more)


def _moves(asked: PageRequest, moves: Rows) -> Markup | None:
    if not moves:
        return None
    shown = (*columns.MOVES, PageColumn("left", "To go", size, True))
    body = table(shown, moves[:MOST], "", label="Moves under way")
    more = el("p", el("a", "how far they are", href=address(asked.cluster, "moves")), class_="more")
    return block(f"Moves under way: {len(moves)}", "pko reassign-partitions status", body, more)


def _brokers(asked: PageRequest, view: ClusterView) -> Markup:
    """The worst first: those that are away, then those that lag."""

    def badness(row: Mapping[str, Any]) -> tuple[bool, int]:
        return row["state"] == "up", -int(row["lagging"] or 0)

    shown = sorted(view.brokers, key=badness)[:MOST]
    rest = len(view.brokers) - len(shown)
    more = None
    if rest > 0:
        link = el("a", f"{rest} more", href=address(asked.cluster, "brokers"))
        more = el("p", join("and ", link), class_="more")
    body = table(columns.brief_brokers(asked.cluster), shown, "not known", label="Brokers")
    return block("Brokers", "pko cluster status", body, more)


def _alerts(asked: PageRequest, alerts: Sequence[Alert] | None) -> Markup | None:
    if not alerts:
        return None
    return block(f"Alerts that fire: {len(alerts)}", "", alert_list(alerts[:MOST], asked.now))


def _changed(asked: PageRequest, events: Iterable[HistoryEvent]) -> Markup:
    body = timeline(events, "nothing in the last six hours", SHOWN_EVENTS)
    more = el("p", el("a", "the whole timeline", href=address(asked.cluster, "timeline")),
              class_="more")  # fmt: skip
    return block("What changed", "", body, more)


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
    return document(asked, None, "Clusters", *items)
