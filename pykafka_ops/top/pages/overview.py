"""The first page: what is broken and why, then who suffers from it."""

from __future__ import annotations

from typing import Final

from pykafka_ops.monitor.wording import line
from pykafka_ops.monitor.wording.causes import broken
from pykafka_ops.monitor.wording.line import Line
from pykafka_ops.monitor.wording.text import safe
from pykafka_ops.monitor.wording.verdict import suffers
from pykafka_ops.top.pages.groups import GROUPS, group_entries
from pykafka_ops.top.seen import SeenCluster
from pykafka_ops.top.table import Page

MOST_LINES: Final = 6
"""Causes that are named; more are counted."""


def overview_page(seen: SeenCluster) -> Page:
    """Causes as lines, suffering groups as rows."""
    view = seen.view
    lines = [Line(text, line.BAD) for text in broken(view)]
    lines = _cut(lines, MOST_LINES)
    missing = [
        Line(f"not known: {safe(one.what)} ({safe(one.error)})", line.WARN)
        for one in view.not_asked
    ]
    lines += _cut(missing, 2)
    moving = view.moves and len(view.moves)
    if moving:
        lines.append(Line(f"moves under way: {moving}"))
    if view.at is not None and not lines:
        old = view.error is not None
        text = "nothing was broken then" if old else "nothing is broken"
        lines.append(Line(text, line.NONE if old else line.GOOD))
    groups = view.groups
    bad = [] if groups is None else [g for g in groups.values() if suffers(g)]
    title = "overview" if groups is None else f"overview: {len(bad)} of {len(groups)} groups suffer"
    return Page(
        title,
        GROUPS,
        group_entries(bad),
        lines,
        ("pko", "cluster", "status"),
        "groups are not known" if groups is None else "no group suffers",
    )


def _cut(lines: list[Line], most: int) -> list[Line]:
    more = len(lines) - most
    return [*lines[:most], Line(f"and {more} more", lines[most].tone)] if more > 0 else lines
