"""Pages of rows: groups, topics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from pykafka_ops.analysis.lag.rows import STATUSES
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.pages import columns
from pykafka_ops.monitor.pages.frame import (
    ROWS,
    Found,
    PageColumn,
    PageRequest,
    block,
    document,
    pager,
    search_form,
    table,
)
from pykafka_ops.monitor.wording.text import size, whole
from pykafka_ops.page.markup import Markup, el

_LEFTOVERS = (
    PageColumn("topic", "Topic"),
    PageColumn("replicas", "Replicas", whole, True),
    PageColumn("bytes", "Bytes", size, True),
    PageColumn("brokers", "On brokers"),
)
_PROOFS = {"Groups": "pko groups lag", "Topics": "pko topics list"}


def groups(asked: PageRequest, view: ClusterView, found: Found) -> str:
    """Every group."""
    shown = columns.groups(asked.cluster)
    return _rows(asked, view, "Groups", shown, found, _verdicts(asked, view))


def topics(
    asked: PageRequest, view: ClusterView, found: Found, leftovers: Sequence[Mapping[str, Any]]
) -> str:
    """Every topic; ``leftovers`` are on disks, but no topic of the cluster any more."""
    shown = columns.topics(asked.cluster)
    return _rows(asked, view, "Topics", shown, found, _deleted(leftovers))


def _deleted(leftovers: Sequence[Mapping[str, Any]]) -> Markup | None:
    """Kafka's API names no topic that is being deleted; its replicas show it until they go."""
    if not leftovers:
        return None
    rest = len(leftovers) - ROWS
    return block(
        f"Being deleted, or left behind: {len(leftovers):,}", "pko log-dirs describe",
        el("p", "On disks when brokers were asked last, but no topic any more.", class_="note"),
        table(_LEFTOVERS, leftovers[:ROWS], "", label="Being deleted, or left behind"),
        el("p", f"and {rest:,} more", class_="more") if rest > 0 else None,
    )  # fmt: skip


def _rows(
    asked: PageRequest,
    view: ClusterView,
    title: str,
    shown: Sequence[PageColumn],
    found: Found,
    above: Markup | None = None,
) -> str:
    total, following, rows = found
    body = table(shown, rows, f"no {title.lower()} like that", asked.query, title)
    form = search_form(asked.query, title.lower())
    pages = pager(asked.query, total, len(rows), following)
    return document(
        asked, view, title, above, block(f"{title}: {total:,}", _PROOFS[title], form, body, pages)
    )


def _verdicts(asked: PageRequest, view: ClusterView) -> Markup | None:
    """How many groups have each verdict, and the way to them alone."""
    counts = Counter(g.row.status for g in (view.groups or {}).values())
    if len(counts) < 2:
        return None
    chosen = asked.query.get("status")
    links: list[tuple[str | None, str]] = [(None, f"All {sum(counts.values()):,}")]
    links += [(s, f"{s} {counts[s]:,}") for s in reversed(STATUSES) if counts[s]]
    items = [
        el("li", el("a", word, href="?" + urlencode({"status": status}) if status else "?",
                    aria_current="true" if status == chosen else None))
        for status, word in links
    ]  # fmt: skip
    return el("ul", *items, class_="periods", aria_label="Verdicts")


def missing(asked: PageRequest, view: ClusterView | None, what: str) -> str:
    """There is nothing of that name."""
    return document(asked, view, "Not found", el("p", what, class_="nothing"))
