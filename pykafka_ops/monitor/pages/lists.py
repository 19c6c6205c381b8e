"""Pages of rows: groups, topics, brokers; one group, one topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.pages import columns
from pykafka_ops.monitor.pages.frame import (
    PageColumn,
    PageRequest,
    block,
    command,
    document,
    pager,
    search_form,
    table,
)
from pykafka_ops.page.markup import Markup, el

Body = Mapping[str, Any]
Found = tuple[int, int | None, Sequence[Mapping[str, Any]]]
"""How many fit, the offset of the rest, the rows."""


def groups(asked: PageRequest, view: ClusterView, found: Found) -> str:
    """Every group."""
    return _rows(asked, view, "Groups", columns.groups(asked.cluster), found, "pko groups lag")


def topics(asked: PageRequest, view: ClusterView, found: Found) -> str:
    """Every topic."""
    return _rows(asked, view, "Topics", columns.topics(asked.cluster), found, "pko topics list")


def brokers(asked: PageRequest, view: ClusterView) -> str:
    """Every broker, and its log directories."""
    rows = table(columns.BROKERS, view.brokers, "not known", label="Brokers")
    return document(asked, view, "Brokers", block("Brokers", "pko cluster status", rows))


def _rows(
    asked: PageRequest,
    view: ClusterView,
    title: str,
    shown: Sequence[PageColumn],
    found: Found,
    proof: str,
) -> str:
    total, following, rows = found
    sort = asked.query.get("sort", "") or "-"
    body = table(shown, rows, f"no {title.lower()} like that", sort, title)
    form = search_form(asked.query, title.lower())
    pages = pager(asked.query, total, len(rows), following)
    return document(asked, view, title, block(f"{title}: {total:,}", proof, form, body, pages))


def group(asked: PageRequest, view: ClusterView, body: Body) -> str:
    """A group: its partitions, its members."""
    name = str(body["group"])
    sums = table(columns.groups(asked.cluster), [body], "")
    rows = table(columns.PARTITIONS, body["rows"], "nothing is committed or read")
    members = table(columns.MEMBERS, body["member_list"], "no members")
    return document(
        asked, view, f"Group {name}",
        block(f"Group {name}", command("pko", "groups", "lag", name), sums),
        block("Partitions", command("pko", "groups", "lag", "--partitions", name), rows),
        block("Members", command("pko", "groups", "describe", "--members", name), members),
    )  # fmt: skip


def topic(asked: PageRequest, view: ClusterView, body: Body) -> str:
    """A topic: its partitions, its settings."""
    name = str(body["topic"])
    items = [
        el("li", el("code", f"{key}={value}")) for key, value in sorted(body["settings"].items())
    ]
    settings: Markup = el("ul", *items) if items else el("p", "not known", class_="nothing")
    return document(
        asked, view, f"Topic {name}",
        block(f"Topic {name}", command("pko", "topics", "describe", name),
              table(columns.topics(asked.cluster), [body], "")),
        block("Partitions", command("pko", "topics", "describe", name),
              table(columns.TOPIC_PARTITIONS, body["rows"], "no partitions")),
        block("Settings", command("pko", "configs", "describe", "topics", name), settings),
    )  # fmt: skip


def missing(asked: PageRequest, view: ClusterView | None, what: str) -> str:
    """There is nothing of that name."""
    return document(asked, view, "Not found", el("p", what, class_="nothing"))
