"""What every page has: the head, the way to the others, how old all of it is, tables."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import quote, urlencode

from pykafka_ops import __version__
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.wording.text import moment, plain
from pykafka_ops.monitor.wording.verdict import staleness, verdict
from pykafka_ops.page.charts.frame import definitions
from pykafka_ops.page.markup import Markup, el, join, shorten

ROWS: Final = 100
"""Rows of a table on one page."""
LONGEST: Final = 120
"""Characters of a name in a cell."""
PLACES: Final = (
    ("", "Overview", "o"),
    ("groups", "Groups", "g"),
    ("topics", "Topics", "t"),
    ("brokers", "Brokers", "b"),
    ("transactions", "Transactions", "x"),
    ("moves", "Moves", "m"),
    ("elections", "Elections", "e"),
    ("acls", "ACLs", "a"),
    ("alerts", "Alerts", "l"),
    ("probes", "Probes", "p"),
    ("timeline", "Timeline", "c"),
)
"""Pages of a cluster: where, what it is called, the key that goes there behind ``g``."""


MORE: Final = {"actions": "Actions", "audit": "Audit log"}
"""Pages for those who have the right."""
Found = tuple[int, int | None, Sequence[Mapping[str, Any]]]
"""How many rows fit, the offset of the rest, the rows."""


class PageColumn(NamedTuple):
    """A column: the field, its title, how a value is written, whether it is a number; ``link``
    makes an address of a row. ``status``: its tone is a shape beside the word, too; ``sorts``:
    rows can be sorted by it."""

    key: str
    title: str
    text: Callable[[object], str] = plain
    right: bool = False
    link: Callable[[Mapping[str, Any]], str] | None = None
    tone: Callable[[object], str] = lambda _: ""
    status: bool = False
    sorts: bool = True


class PageRequest(NamedTuple):
    """What a page was asked for: the cluster, all clusters, the query, the time (ms); ``who``
    asked ("" where nobody logs in), what the forms of this person carry; ``ways``: pages of MORE
    that this person may open; ``rights``: actions that the person may use here on some name;
    ``reports``, ``tiers``, ``mirrors``: whether runs of reports, tiers that were counted, and
    mirror links are shown."""

    cluster: str
    clusters: Sequence[str]
    query: Mapping[str, str]
    now: int
    poll_ms: int
    who: str = ""
    form: str = ""
    can_log_out: bool = False
    ways: Sequence[str] = ()
    reports: bool = False
    tiers: bool = False
    mirrors: bool = False
    rights: Collection[str] = ()


def address(cluster: str, *parts: str) -> str:
    """Of a page of a cluster, whatever its names are."""
    return "/".join(["/c", *(quote(part, safe="") for part in (cluster, *parts))])


def document(
    asked: PageRequest,
    view: ClusterView | None,
    title: str,
    *main: Markup | None,
    live: bool = True,
    script: str = "",
) -> str:
    """A whole page; ``view`` None: it is about no cluster. ``title`` is the name
    of a page of PLACES where it is one; ``live``: it shows every round, unless it has a
    ``script`` of its own."""
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("title", f"{shorten(title, LONGEST)} – pko monitor"),
        el("link", rel="icon", href="data:,"),
        el("link", rel="stylesheet", href="/static/monitor.css"),
        el("script", "", src="/static/monitor.js", defer=True) if live else None,
        el("script", "", src=f"/static/{script}", defer=True) if script else None,
        el("noscript", el("meta", http_equiv="refresh", content="15"))
        if live and not script
        else None,
    )
    keys = [" Keys: ", *_keys(asked)] if live else []
    body = el(
        "body",
        el("a", "To the content", href="#main", class_="skip"),
        definitions(),
        _bar(asked, title),
        el("main", _state(asked, view, title), *main, id="main", tabindex="-1"),
        el("footer", "pko monitor ", __version__, ". Times are UTC.", *keys, _login(asked)),
    )
    return "<!DOCTYPE html>\n" + el("html", head, body, lang="en", data_still=bool(script))


def form_of(asked: PageRequest, action: str, *fields: Markup | None, **attributes: str) -> Markup:
    """A form that changes something: it carries what shows that a page of this person sent it."""
    own = el("input", type="hidden", name="form", value=asked.form)
    return el("form", own, *fields, method="post", action=action, **attributes)


def _login(asked: PageRequest) -> Markup | None:
    if not asked.who:
        return None
    who = el("p", "Logged in as ", el("bdi", shorten(asked.who, LONGEST)), ".")
    out = form_of(asked, "/logout", el("button", "Log out")) if asked.can_log_out else None
    return join(who, out)


def _bar(asked: PageRequest, title: str) -> Markup:
    """The way to the other pages and clusters."""
    links = []
    if asked.cluster:
        links = [
            el("a", name, href=address(asked.cluster, path) if path else address(asked.cluster),
               data_key=key, aria_current="page" if name == title else None)
            for path, name, key in PLACES
        ]  # fmt: skip
        links += [
            el("a", MORE[way], href=address(asked.cluster, way),
               aria_current="page" if MORE[way] == title else None)
            for way in asked.ways
        ]  # fmt: skip
    for name, shown in (
        ("Mirrors", asked.mirrors),
        ("Reports", asked.reports),
        ("Tiers", asked.tiers),
    ):
        at = "page" if title == name else None
        if shown:
            links.append(el("a", name, href=f"/{name.lower()}", aria_current=at))
    nav = el("nav", *links, aria_label="Pages") if links else None
    search = _search(asked) if asked.cluster else None
    brand = el("a", "pko monitor", href="/", class_="brand")
    return el("header", el("div", brand, nav, search), _clusters(asked), class_="bar")


def _clusters(asked: PageRequest) -> Markup | None:
    if len(asked.clusters) < 2:
        return None
    links = [
        el("a", el("bdi", shorten(name, 40)), href=address(name),
           aria_current="true" if name == asked.cluster else None)
        for name in asked.clusters
    ]  # fmt: skip
    return el("div", el("nav", *links, aria_label="Clusters"), class_="clusters")


def _search(asked: PageRequest) -> Markup:
    return el(
        "form",
        el("label", "Search everything", for_="search", class_="hidden"),
        el("input", type="search", name="q", id="search", placeholder="Search everything",
           autocomplete="off", value=asked.query.get("q", "")),
        action=address(asked.cluster, "search"), method="get", role="search",
    )  # fmt: skip


def _keys(asked: PageRequest) -> list[Markup | str]:
    said: list[Markup | str] = [
        el("kbd", "/"), " searches, ", el("kbd", "f"), " filters, ",
        el("kbd", "j"), " and ", el("kbd", "k"), " go to the next row and back",
    ]  # fmt: skip
    if asked.cluster:
        said += [", ", el("kbd", "g"), " and "]
        for at, (_, name, key) in enumerate(PLACES):
            said += [", " if at else "", el("kbd", key), " ", name.lower()]
    return [*said, "."]


def _state(asked: PageRequest, view: ClusterView | None, title: str) -> Markup:
    """What this page is about, how its cluster is, and how old that is."""
    if view is None:
        return el("header", el("h1", title), class_="head")
    said, old = verdict(view), staleness(view, asked.now, asked.poll_ms)
    when = "never asked" if view.at is None else f"asked {moment(view.at)} UTC, round {view.number}"
    name = el("b", el("bdi", shorten(asked.cluster, LONGEST)))
    if title == PLACES[0][1]:
        about = el("p", name, el("span", when), class_="kind")
        heading = el("h1", el("bdi", said.text), class_=f"headline {said.tone}")
    else:
        verdict_link = el("a", el("bdi", said.text), href=address(asked.cluster),
                          class_=f"state {said.tone}")  # fmt: skip
        about = el("p", name, el("span", when), el("span", verdict_link), class_="kind")
        heading = el("h1", el("bdi", shorten(title, LONGEST)))
    stale = el("p", old.text, class_=f"stale {old.tone}", role="status") if old else None
    return el("header", about, heading, stale, class_="head")


def command(*words: str) -> str:
    """A line for a shell, whatever the names in it are."""
    names = [word for word in words if word.startswith("-") and not word.startswith("--")]
    if names:
        words = (*(w for w in words if w not in names), "--", *names)
    return shlex.join(words)


def block(title: str, command: str, *body: Markup | None) -> Markup:
    """A part of a page, with the command that shows the same ("" none)."""
    proof = el("p", el("code", command), class_="command") if command else None
    return el("section", el("h2", title), *body, proof)


def table(
    columns: Sequence[PageColumn],
    rows: Iterable[Mapping[str, Any]],
    empty: str,
    query: Mapping[str, str] | None = None,
    label: str = "Table",
) -> Markup:
    """Rows, or in words that there are none. ``query``: what the page was asked for, of which
    headings change how rows are sorted; without, they are no links. ``label`` names the table to
    those who cannot see it."""
    sort = "" if query is None else query.get("sort", "")
    body = [el("tr", *(_cell(column, row) for column in columns)) for row in rows]
    if not body:
        return el("p", empty, class_="nothing")
    heads = [
        el("th", _heading(c, query, sort), scope="col", class_=_side(c), aria_sort=_order(c, sort))
        for c in columns
    ]
    inner = el("table", el("thead", el("tr", *heads)), el("tbody", *body))
    return el("div", inner, class_="scroll", tabindex="0", role="region", aria_label=label)


def _side(column: PageColumn) -> str | None:
    return "right" if column.right else None


def _order(column: PageColumn, sort: str) -> str | None:
    return {column.key: "ascending", f"-{column.key}": "descending"}.get(sort)


def _heading(column: PageColumn, query: Mapping[str, str] | None, sort: str) -> Markup | str:
    if query is None or not column.sorts:
        return column.title
    arrow = {column.key: " ↑", f"-{column.key}": " ↓"}.get(sort, "")
    down = column.right and sort != f"-{column.key}"
    wanted = f"-{column.key}" if down else column.key
    kept = {key: value for key, value in query.items() if key != "offset"}
    href = "?" + urlencode({**kept, "sort": wanted})
    return el("a", column.title, arrow, href=href, data_sort=wanted)


def _cell(column: PageColumn, row: Mapping[str, Any]) -> Markup:
    value = row.get(column.key)
    text = shorten(column.text(value), LONGEST)
    tone = column.tone(value)
    inner = el("bdi", text)
    if column.link is not None:
        inner = el("a", inner, href=column.link(row))
    if column.status:
        return el("td", el("span", inner, class_=f"status {tone}".strip()))
    side = "right" if column.right else ""
    return el("td", inner, class_=f"{side} {tone}".strip() or None)


def search_form(query: Mapping[str, str], what: str) -> Markup:
    """The box that rows are searched by; how they are chosen and sorted besides stays."""
    kept = [(key, value) for key, value in query.items() if key not in ("search", "offset")]
    return el(
        "form",
        *(el("input", type="hidden", name=key, value=value) for key, value in kept),
        el("label", f"Filter {what} ", el("input", type="search", name="search", id="filter",
                                           value=query.get("search", ""), autocomplete="off")),
        el("button", "Filter"),
        method="get",
    )  # fmt: skip


def pager(query: Mapping[str, str], total: int, shown: int, following: int | None) -> Markup:
    """How many rows there are, and the way to the next."""
    start = int(query.get("offset", "0") or 0)
    said = f"{start + 1:,} to {start + shown:,} of {total:,}" if shown else f"0 of {total:,}"
    after = None
    if following is not None:
        after = el("a", "next", href="?" + urlencode({**query, "offset": following}))
    before = None
    if start:
        back = {**query, "offset": max(0, start - ROWS)}
        before = el("a", "back", href="?" + urlencode(back))
    return el("p", join(before, " " if before else None, said, " " if after else None, after),
              class_="pager")  # fmt: skip
