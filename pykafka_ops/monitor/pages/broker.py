"""Brokers: all of them with how even they are, and one with its disks and settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pykafka_ops.client.configs import ConfigEntry
from pykafka_ops.client.log_dirs import LogDirDescription
from pykafka_ops.monitor.cluster.enquiries import EnquiryReply
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.history.model import HistoryEvent
from pykafka_ops.monitor.pages import columns
from pykafka_ops.monitor.pages.disks import disk_text
from pykafka_ops.monitor.pages.events import timeline
from pykafka_ops.monitor.pages.frame import (
    Found,
    PageColumn,
    PageRequest,
    address,
    block,
    document,
    pager,
    search_form,
    table,
)
from pykafka_ops.monitor.pages.pictures import ChartPast, chart, periods
from pykafka_ops.monitor.pages.settings import settings_block
from pykafka_ops.monitor.pages.tiles import FigureTile, tiles
from pykafka_ops.monitor.pages.ways import change_links
from pykafka_ops.monitor.wording import line
from pykafka_ops.monitor.wording.runway import DiskRunway
from pykafka_ops.monitor.wording.text import UNKNOWN, plain, size, whole
from pykafka_ops.page.markup import Markup, el
from pykafka_ops.page.units import size as size_text
from pykafka_ops.settings.broker import BROKER

FACTS: Final = ("bytes", "free_bytes", "leaders", "replicas")
MOST: Final = 20
"""Topics that are named by their bytes."""
_DIRS: Final = (
    PageColumn("path", "Directory"),
    PageColumn("state", "State", tone=lambda v: "good" if v == "good" else "bad", status=True),
    PageColumn("replicas", "Replicas", whole, True),
    PageColumn("bytes", "Bytes", size, True),
    PageColumn("free", "Free", size, True),
    PageColumn("total", "Of", size, True),
    PageColumn("coming", "Moving here", whole, True),
)


class BrokerShown(NamedTuple):
    """A broker's row, its directories (None: it did not tell), its disk, settings, past, what
    changed (None: no history is kept)."""

    row: Mapping[str, Any]
    dirs: Sequence[LogDirDescription] | None
    disk: DiskRunway
    settings: EnquiryReply[list[ConfigEntry]]
    past: ChartPast | None
    events: Iterable[HistoryEvent] | None


def brokers(
    asked: PageRequest, view: ClusterView, found: Found, controllers: Mapping[str, Any] | None
) -> str:
    """Every broker, and the quorum of ``controllers`` as ``/api/v1`` has it."""
    total, following, rows = found
    body = table(columns.broker_columns(asked.cluster), rows, "no broker like that", asked.query,
                 "Brokers")  # fmt: skip
    pages = pager(asked.query, total, len(rows), following)
    form = search_form(asked.query, "brokers")
    return document(
        asked, view, "Brokers", _even(view),
        block(f"Brokers: {total:,}", "pko cluster status", form, body, pages),
        _fenced(view), _quorum(view, controllers),
    )  # fmt: skip


def _fenced(view: ClusterView) -> Markup | None:
    """Those that are registered with the controllers, but not in the cluster."""
    if not view.is_kraft or view.fenced == ():
        return None
    title, proof = "Fenced brokers", "pko cluster status"
    if view.fenced is None:
        body = el("p", "not known: brokers before 4.0 do not tell", class_="nothing")
    elif not view.fenced:
        body = el("p", "none", class_="nothing")
    else:
        items = [el("li", f"broker {b} is registered, but without heartbeats, or not let in")
                 for b in view.fenced]  # fmt: skip
        body = el("ul", *items, class_="causes bad")
    return block(title, proof, body)


def _quorum(view: ClusterView, found: Mapping[str, Any] | None) -> Markup | None:
    if not view.is_kraft:
        return None
    title, proof = "Quorum of controllers", "pko quorum replication"
    if found is None:
        lost = (view.facts or {}).get("quorum_lost")
        said = "it does not answer: no controller leads" if lost else "not known: nobody told"
        return block(title, proof, el("p", said, class_="nothing"))
    body = table(columns.QUORUM, found["replicas"], "no replicas", label=title)
    leader = "nobody leads" if found["leader"] is None else f"{found['leader']} leads"
    return block(f"{title}: {leader}, epoch {found['epoch']}", proof, body)


def _even(view: ClusterView) -> Markup:
    """How evenly the brokers share the work."""
    facts = view.facts or {}
    named = (
        ("leader_skew_percent", "Skew of leaders", "the broker furthest from the mean"),
        ("replica_skew_percent", "Skew of replicas", "the broker furthest from the mean"),
        ("bytes_skew_percent", "Skew of bytes", "the broker furthest from the mean"),
    )
    most = columns.percent_text(facts.get("imbalance_percent"))
    known = bool(view.at) and facts.get("no_controller") is not None
    controller = whole(view.controller) if view.controller >= 0 else "none"
    no_leader = line.BAD if known else line.WARN
    return tiles(
        FigureTile("Controller", controller if known else UNKNOWN, "",
                   line.NONE if view.controller >= 0 else no_leader),
        FigureTile("Racks", whole(facts.get("racks"))),
        FigureTile("Led elsewhere", whole(facts.get("not_preferred")),
                   f"partitions; of a live broker's {most} at most"),
        *(FigureTile(title, columns.percent_text(facts.get(key)), note)
          for key, title, note in named),
    )  # fmt: skip


def broker(asked: PageRequest, view: ClusterView, shown: BrokerShown) -> str:
    """The page of a broker."""
    id_ = str(shown.row["id"])
    proof = f"pko configs describe brokers {id_}"
    return document(
        asked, view, f"Broker {id_}",
        _tiles(shown),
        change_links(asked, "broker", str(id_)),
        periods(asked.query),
        el("div",
           chart("Disk", "Bytes of its replicas, and what is free", shown.past,
                 [("bytes", "replicas"), ("free_bytes", "free")], size_text),
           chart("Partitions", "That it leads, and that it has", shown.past,
                 [("leaders", "leads"), ("replicas", "has")]),
           class_="pictures"),
        _directories(shown.dirs, f"pko log-dirs describe --broker {id_}"),
        _largest(asked, shown.dirs),
        settings_block("Settings that somebody set", proof, shown.settings, BROKER, only_set=True),
        None if shown.events is None else
        block("What changed", "", timeline(shown.events, "nothing in the last seven days")),
    )  # fmt: skip


def _tiles(shown: BrokerShown) -> Markup:
    row = shown.row
    up = row["state"] == "up"
    role = "controller" if row["controller"] else "broker"
    return tiles(
        FigureTile("State", str(row["state"]), plain(row["address"]),
                   line.GOOD if up else line.BAD),
        FigureTile("Role", role, f"rack {plain(row['rack'])}"),
        FigureTile("Leads", whole(row["leaders"]), f"{whole(row['preferred'])} prefer it"),
        FigureTile("Replicas", whole(row["replicas"]), f"{whole(row['lagging'])} lag",
                   line.BAD if row["lagging"] else line.NONE),
        FigureTile("Bytes", size(row["bytes"]), "of its replicas"),
        FigureTile("Free", size(row["free_bytes"]), disk_text(shown.disk), shown.disk.tone),
    )  # fmt: skip


def _directories(dirs: Sequence[LogDirDescription] | None, proof: str) -> Markup:
    if dirs is None:
        body = el("p", "not known: it did not tell of its directories", class_="nothing")
        return block("Log directories", proof, body)
    rows = [
        {
            "path": d.path,
            "state": "good" if d.error is None else f"failed: {d.error}",
            "replicas": len(d.replicas),
            "bytes": sum(r.size for r in d.replicas),
            "free": d.usable_bytes if d.usable_bytes >= 0 else None,
            "total": d.total_bytes if d.total_bytes >= 0 else None,
            "coming": sum(r.future for r in d.replicas),
        }
        for d in dirs
    ]
    return block("Log directories", proof, table(_DIRS, rows, "none", label="Log directories"))


def _largest(asked: PageRequest, dirs: Sequence[LogDirDescription] | None) -> Markup | None:
    if not dirs:
        return None
    held: dict[str, list[int]] = {}
    for replica in (r for d in dirs for r in d.replicas):
        of = held.setdefault(replica.topic, [0, 0])
        of[0], of[1] = of[0] + 1, of[1] + replica.size
    rows = [{"topic": t, "replicas": n, "bytes": b} for t, (n, b) in held.items()]
    rows.sort(key=lambda row: -int(str(row["bytes"])))
    shown = (
        PageColumn("topic", "Topic",
                   link=lambda row: address(asked.cluster, "topics", str(row["topic"]))),
        PageColumn("replicas", "Replicas here", whole, True),
        PageColumn("bytes", "Bytes here", size, True),
    )  # fmt: skip
    return block("Topics by bytes here", "", table(shown, rows[:MOST], "none", label="Topics"))
