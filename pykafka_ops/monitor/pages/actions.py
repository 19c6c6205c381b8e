"""Pages of changes: which there are, what one needs, what it would do, what it did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import urlencode

from pykafka_ops.monitor.actions.desk import ActionOutcome, Preview
from pykafka_ops.monitor.actions.plan import Action, ActionField, ActionPlan, PlannedChange
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.pages.frame import (
    LONGEST,
    PageRequest,
    address,
    command,
    document,
    form_of,
)
from pykafka_ops.page.markup import Markup, el, shorten

SHOWN: Final = 1_000
"""Changes of a plan on a page; the others are counted."""
WORDS: Final = {"done": ("Done.", "good"), "partly": ("Some of it failed.", "bad"),
                "failed": ("It failed.", "bad")}  # fmt: skip


def index(
    asked: PageRequest, view: ClusterView, actions: Sequence[Action], *, unknown: bool = False
) -> str:
    """What this person may change here."""
    missing = el("p", "There is no such action, or you have no right to it.", class_="stale bad")
    items = [
        el("li", el("a", a.title, href=address(view.name, "actions", a.right))) for a in actions
    ]
    none = el(
        "p",
        "Nothing: the configuration switches actions on, and gives the rights to roles.",
        class_="nothing",
    )
    body = el("ul", *items, class_="plain") if items else none
    log = el(
        "p", el("a", "What was changed, by whom", href=address(view.name, "audit")), class_="more"
    )
    section = el(
        "section", el("h2", "What you may change"), body, log if "audit" in asked.ways else None
    )
    return document(asked, view, "Actions", missing if unknown else None, section, live=False)


def form(
    asked: PageRequest, view: ClusterView, action: Action, given: Mapping[str, str], wrong: str = ""
) -> str:
    """What the action needs to know; ``wrong``: what was wrong with it."""
    said = el("p", wrong, class_="stale bad", role="alert") if wrong else None
    fields = [_input(field, given.get(field.key, "")) for field in action.fields]
    made = form_of(
        asked, address(view.name, "actions", action.right), *fields,
        el("button", "Show what it would change"), class_="fields",
    )  # fmt: skip
    about = el("p", "Nothing is changed yet: the plan is shown first.", class_="note")
    section = el("section", about, made)
    return document(asked, view, action.title, said, section, live=False)


def _input(field: ActionField, value: str) -> Markup:
    if field.choices:
        options = [el("option", c, value=c, selected=c == value) for c in field.choices]
        control = el("select", *options, name=field.key)
    else:
        control = el("input", name=field.key, value=value, required=field.required,
                     placeholder=field.hint or None, autocomplete="off")  # fmt: skip
    return el("label", f"{field.title} ", control)


def preview(
    asked: PageRequest, view: ClusterView, action: Action, shown: Preview, wrong: str = ""
) -> str:
    """Before and after, and the way to do it."""
    plan = shown.plan
    said = el("p", f"Nothing was changed: {wrong}.", class_="stale bad", role="alert")
    title = f"{action.title}: {plan.name}"
    if not plan.changes:
        body = el("p", "There is nothing to change.", class_="nothing")
    else:
        body = _changes(plan.changes, ("Now", "Then"))
    notes = [el("li", note) for note in plan.notes]
    section = el(
        "section",
        el("h2", "What it would change"),
        body,
        el("ul", *notes, class_="causes warn") if notes else None,
        _command(plan.command),
    )
    confirm = _confirm(asked, view, action, shown) if shown.token else None
    back = el("p", el("a", "Other values", href=_again(view, action, plan.public)), class_="more")
    return document(asked, view, title, said if wrong else None, section, confirm, back, live=False)


def _confirm(asked: PageRequest, view: ClusterView, action: Action, shown: Preview) -> Markup:
    typed = None
    if action.typed:
        label = el("span", "To confirm, write ", el("bdi", shown.plan.name), " ")
        typed = el("label", label, el("input", name="confirm", required=True, autocomplete="off"))
    made = form_of(
        asked, address(view.name, "actions", action.right),
        el("input", type="hidden", name="token", value=shown.token),
        typed,
        el("button", f"{action.title} now", class_="danger" if action.typed else None),
        class_="fields",
    )  # fmt: skip
    about = el(
        "p", "This plan can be done once, within ten minutes, by you. It is written to the audit "
        "log.", class_="note",
    )  # fmt: skip
    return el("section", el("h2", "Do it"), about, made)


def result(asked: PageRequest, view: ClusterView, action: Action, outcome: ActionOutcome) -> str:
    """What was done."""
    text, tone = WORDS[outcome.result]
    plan = outcome.plan
    errors = [el("li", el("b", what), f": {why}") for what, why in outcome.errors.items()]
    section = el(
        "section",
        el("p", el("span", text, class_=f"status {tone}"), role="status"),
        el("ul", *errors[:SHOWN], class_="causes bad") if errors else None,
        _changes(plan.changes, ("Before", "After")),
        _command(plan.command),
    )
    back = None
    if plan.undo or plan.undone_by:
        back = el(
            "section", el("h2", "The way back"), _command(plan.undo), _undo(view, action, plan)
        )
    title = f"{action.title}: {plan.name}"
    return document(asked, view, title, section, back, live=False)


def _undo(view: ClusterView, action: Action, plan: ActionPlan) -> Markup | None:
    if not plan.undone_by:
        return None
    href = _again(view, action, {action.subject: plan.name}, plan.undone_by)
    return el("p", el("a", "Take this back", href=href), class_="more")


def _changes(changes: Sequence[PlannedChange], titles: tuple[str, str]) -> Markup:
    heads = [el("th", title, scope="col") for title in ("What", *titles, "")]
    rows = [
        el("tr", *(el("td", el("bdi", shorten("-" if cell is None else cell, LONGEST)))
                   for cell in change))
        for change in changes[:SHOWN]
    ]  # fmt: skip
    table = el("table", el("thead", el("tr", *heads)), el("tbody", *rows))
    more = len(changes) - SHOWN
    left = el("p", f"and {more:,} more", class_="more") if more > 0 else None
    return el("div", el("div", table, class_="scroll", tabindex="0"), left)


def _command(words: Sequence[str]) -> Markup | None:
    return el("p", el("code", command(*words)), class_="command") if words else None


def _again(view: ClusterView, action: Action, params: Mapping[str, str], other: str = "") -> str:
    kept = {k: v for k, v in params.items() if any(k == f.key for f in action.fields)}
    return address(view.name, "actions", other or action.right) + "?" + urlencode(kept)
