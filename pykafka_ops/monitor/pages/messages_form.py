"""The form of a search: works without scripts, its address can be kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pykafka_ops.monitor.messages.formats import NAMES
from pykafka_ops.monitor.messages.query import (
    LIMIT,
    NEWEST,
    OLDEST,
    READ_COMMITTED,
    READ_UNCOMMITTED,
)
from pykafka_ops.page.markup import Markup, el

_MORE = ("last", "until", "offset", "isolation", "control", "key_format", "value_format")


def search_fields(query: Mapping[str, str]) -> Markup:
    """The fields, filled as the address says."""

    def text(name: str, label: str, hint: str = "") -> Markup:
        return el("label", el("span", label), el(
            "input", name=name, value=query.get(name, ""), placeholder=hint or None,
            autocomplete="off", spellcheck="false"))  # fmt: skip

    def choice(name: str, label: str, choices: Sequence[tuple[str, str]]) -> Markup:
        now = query.get(name) or choices[0][0]
        options = [el("option", shown, value=v, selected=v == now) for v, shown in choices]
        return el("label", el("span", label), el("select", *options, name=name))

    formats = [(name, name) for name in NAMES]
    more = el(
        "details",
        el("summary", "More"),
        el("div",
           text("last", "Last records of each partition"), text("until", "Until", "1h, 2026-11-21"),
           text("offset", "Offsets", "1200 or 1200..1300"),
           choice("isolation", "Transactions", ((READ_COMMITTED, "committed only"),
                                                (READ_UNCOMMITTED, "aborted and open, too"))),
           choice("control", "Control records", (("false", "hidden"), ("true", "shown"))),
           choice("key_format", "Keys are", formats), choice("value_format", "Values are", formats),
           class_="asked"),
        open=any(query.get(name) for name in _MORE),
    )  # fmt: skip
    return el(
        "form",
        el("div",
           choice("order", "Order", ((NEWEST, "newest first"), (OLDEST, "oldest first"))),
           text("partition", "Partitions", "all, or 0,2"),
           text("since", "Since", "2h, 2026-11-21T08:00"),
           text("key", "Key is"), text("text", "Text in it"),
           text("where", "Where", "value.amount>100&key=order-17"),
           text("limit", "Records", str(LIMIT)),
           class_="asked"),
        more,
        el("button", "Search"),
        method="get", role="search", class_="search",
    )  # fmt: skip
