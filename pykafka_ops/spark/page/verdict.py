"""The first screen: what is wrong, who is hit, what to do, over all reports of a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pykafka_ops.page.markup import Markup, el, join
from pykafka_ops.spark.model import Report, Row
from pykafka_ops.spark.page import retained
from pykafka_ops.spark.page.actions import NextStep, actions, hit
from pykafka_ops.spark.page.parts import View, listed, num, rows, text, unknown

FIRST, LISTED = 4, 30
"""Actions that are seen at once; that are listed at all."""
NAMED = 5
_TONES = ("ok", "warn", "bad")


def worst(tones: Sequence[str]) -> str:
    """The tone of a page whose reports have these."""
    return max(tones, key=_TONES.index, default="ok")


def verdict(reports: Sequence[Report], views: Sequence[View], tones: Sequence[str]) -> Markup:
    """The sentence, who is hit, and the actions in order."""
    tone = worst(tones)
    todo = actions(reports)
    return el(
        "header",
        el("h1", sentence(views, tones).replace(" %", "\u00a0%"), class_=f"headline {tone}"),
        _hit(reports),
        _todo(todo),
        class_="verdict",
    )


def sentence(views: Sequence[View], tones: Sequence[str]) -> str:
    """One report's own headline; of several what is wrong, the worst first."""
    if len(views) == 1:
        return views[0].headline
    tone = worst(tones)
    ranked = sorted(zip(tones, views, strict=True), key=lambda p: (-_TONES.index(p[0]), p[1].order))
    said = [v.brief or v.headline.rstrip(".") for t, v in ranked if tone == "ok" or t != "ok"]
    return f"{'; '.join(said)}." if said else "There is nothing to report."


def _hit(reports: Sequence[Report]) -> Markup | None:
    groups, topics = hit(reports)
    said = [
        f"{what}{'s' if len(names) > 1 else ''} {listed(names, NAMED)}"
        for what, names in (("group", groups), ("topic", topics))
        if names
    ]
    return el("p", el("b", "Hit: "), el("bdi", "; ".join(said)), class_="hit") if said else None


def _todo(todo: Sequence[NextStep]) -> Markup | None:
    if not todo:
        return None
    shown = [_action(a) for a in todo[:LISTED]]
    rest = None
    if len(shown) > FIRST:
        left = len(todo) - FIRST
        over = el("p", f"and {len(todo) - LISTED:,} more", class_="more")
        rest = el("details", el("summary", f"{left:,} more, less urgent"),
                  el("ol", *shown[FIRST:], start=FIRST + 1),
                  over if len(todo) > LISTED else None)  # fmt: skip
    return el("section", el("h2", "What to do"), el("ol", *shown[:FIRST]), rest,
              class_="card actions")  # fmt: skip


def _action(action: NextStep) -> Markup:
    command = el("code", action.command, class_="command") if action.command else None
    return el("li", join(el("b", el("bdi", action.what)), " ",
                         el("span", el("bdi", action.why), class_="why")), command)  # fmt: skip


def agreed(report: Report, reports: Sequence[Report]) -> Report:
    """A lag report that says of deletion what the retention report beside it says.

    That one knows who reads fast enough: what it does not list is safe.
    """
    other = next((r for r in reports if r.kind == "retention"), None)
    if report.kind != "lag" or other is None or unknown(other, "at_risk"):
        return report
    lost = {_place(r): num(r, "deleted_in_seconds") or 0.0 for r in retained.threatened(other)}

    def known(row: Row) -> Row:
        if row.get("loss_in_seconds") is None and _place(row) not in lost:
            return row
        return {**row, "loss_in_seconds": lost.get(_place(row), float("inf"))}

    changed = [known(r) for r in rows(report, "partitions")]
    sections = [replace(s, rows=changed) if s.name == "partitions" else s for s in report.sections]
    return replace(report, sections=sections)


def _place(row: Row) -> tuple[str, str, str]:
    return text(row, "group"), text(row, "topic"), text(row, "partition")
