"""The audit log as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.pages.frame import LONGEST, PageRequest, document
from pykafka_ops.page.markup import Markup, el, shorten

CHANGES: Final = 5
"""Changes of an entry that are shown; the others are counted."""
TONES: Final = {"done": "good", "refused": "warn", "partly": "bad", "failed": "bad"}
BEGUN_SAID: Final = "begun, its end is not known"


def audit_page(asked: PageRequest, view: ClusterView, entries: Sequence[Mapping[str, Any]]) -> str:
    """The newest entries of a cluster."""
    rows = [_row(entry) for entry in entries]
    heads = [
        el("th", title, scope="col")
        for title in ("Time (UTC)", "Who", "From", "Action", "On", "Result", "What")
    ]
    table = el("table", el("thead", el("tr", *heads)), el("tbody", *rows))
    body = el("div", table, class_="scroll", tabindex="0")
    if not rows:
        body = el("p", "Nobody has changed or read anything.", class_="nothing")
    return document(asked, view, "Audit log", el("section", body), live=False)


def _row(entry: Mapping[str, Any]) -> Markup:
    result = str(entry.get("result"))
    said = BEGUN_SAID if result == "begun" else result
    status = el("span", said, class_=f"status {TONES.get(result, 'warn')}")
    why = [el("div", shorten(text, 300)) for text in _reasons(entry)]
    when = str(entry.get("time", "")).replace("T", " ")[:19]
    cells = (when, *(str(entry.get(key, "")) for key in ("who", "address", "action", "resource")))
    return el(
        "tr",
        *(el("td", el("bdi", shorten(cell, LONGEST))) for cell in cells),
        el("td", status, *why),
        el("td", *_changes(entry), class_="wide"),
    )


def _reasons(entry: Mapping[str, Any]) -> list[str]:
    errors = entry.get("errors")
    found = [str(entry["why"])] if entry.get("why") else []
    if isinstance(errors, dict):
        found += [f"{what}: {why}" for what, why in list(errors.items())[:CHANGES]]
    return found


def _changes(entry: Mapping[str, Any]) -> list[Markup]:
    before, after = entry.get("before"), entry.get("after")
    params = entry.get("params")
    if before is None and isinstance(params, dict):  # records that were read
        said = ", ".join(f"{key} {value}" for key, value in params.items())
        return [el("div", el("bdi", shorten(said, 200)))]
    if not isinstance(before, dict) or not isinstance(after, dict):
        return []
    lines = [
        el("div", el("bdi", shorten(f"{what}: {_text(before.get(what))} → {_text(new)}", 200)))
        for what, new in list(after.items())[:CHANGES]
    ]
    if len(after) > CHANGES:
        lines.append(el("div", f"and {len(after) - CHANGES:,} more"))
    return lines


def _text(value: object) -> str:
    return "-" if value is None else str(value)
