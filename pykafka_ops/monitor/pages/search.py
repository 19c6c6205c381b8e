"""What was found."""

from __future__ import annotations

from collections.abc import Sequence

from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.pages.frame import LONGEST, PageRequest, address, block, document
from pykafka_ops.monitor.wording.search import LEAST, FoundKind, FoundThing
from pykafka_ops.page.markup import Markup, el, shorten


def search(
    asked: PageRequest,
    view: ClusterView,
    others: Sequence[str],
    found: Sequence[FoundKind],
    unsure: Sequence[str],
    settings: Sequence[str],
) -> str:
    """The page of a search; ``others`` are clusters that fit, ``unsure`` what could not be
    searched, in words; ``settings``: those of topics that are searched."""
    wanted = asked.query.get("q", "").strip()
    notes = [el("li", note) for note in unsure]
    missing = block("Not searched", "", el("ul", *notes, class_="causes warn")) if notes else None
    if len(wanted) < LEAST:
        said: Markup | None = el("p", f"Search for {LEAST} characters or more.", class_="nothing")
        return document(asked, view, "Search", said)
    parts = [_kind(asked.cluster, kind) for kind in found]
    if others:
        links = [
            el("li", el("a", el("bdi", shorten(name, LONGEST)), href=address(name)))
            for name in others
        ]
        parts.insert(0, block(f"Clusters: {len(others)}", "", el("ul", *links, class_="plain")))
    nothing = None
    if not parts:
        nothing = el("p", "Nothing of this cluster fits ", el("bdi", shorten(wanted, LONGEST)),
                     ".", class_="nothing")  # fmt: skip
    bounds = el("p", f"Of the settings of topics these are searched, which every round asks for: "
                f"{', '.join(settings)}. The page of a topic shows all of them.",
                class_="note")  # fmt: skip
    return document(asked, view, "Search", nothing, *parts, missing, bounds)


def _kind(cluster: str, kind: FoundKind) -> Markup:
    more = kind.total - len(kind.things)
    items = [_thing(cluster, thing) for thing in kind.things]
    items += [el("li", f"and {more:,} more")] if more else []
    return block(f"{kind.title}: {kind.total:,}", "", el("ul", *items, class_="plain"))


def _thing(cluster: str, thing: FoundThing) -> Markup:
    name = el("bdi", shorten(thing.name, LONGEST))
    note = el("span", " ", el("bdi", shorten(thing.note, LONGEST)), class_="dim")
    return el("li", el("a", name, href=address(cluster, *thing.page)), note if thing.note else None)
