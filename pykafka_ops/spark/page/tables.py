"""Sections as HTML tables; what ``-o json`` says of a cell is in ``data-v`` where it says more."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from math import inf

from pykafka_ops.page.markup import Markup, el, join, name_text, shorten, visible
from pykafka_ops.page.units import NONE, iso, moment, number, size, span, value_text
from pykafka_ops.spark.model import Column, Row, Section
from pykafka_ops.spark.output.document import value as plain_value
from pykafka_ops.spark.page.parts import amount, band, more

ROWS = 120
"""Rows on the page; the files of the report have all."""
NAME = 48
LONG, SENTENCE = 32, 300
"""Text longer than the first is wrapped; words up to the second are not shortened."""
OPEN = 12
"""Tables of more rows than this are folded."""
VERDICTS = ("status", "band")
"""Columns that say how it is."""
IDS = ("partition", "leader", "broker", "from", "to")
"""Columns of numbers that name something."""
_NUMBERS = (
    "ms", "bytes", "bytes/s", "records", "records/s", "seconds", "share", "percent", "days",
    "money",
)  # fmt: skip


def table(
    section: Section, marks: Mapping[str, str], *, main: bool = False, hottest: str = ""
) -> Markup:
    """A section with its heading, its table and how much of it is left out.

    ``marks`` gives the tone of a status; a cell with one of these words carries a swatch. The
    ``main`` table and short ones are open, others folded; ``hottest`` is the column that orders
    rows, the greatest first (empty: as they are).
    """
    ordered = section.rows
    if hottest:
        ordered = sorted(ordered, key=lambda r: -amount(r, hottest))
    shown = ordered[:ROWS]
    count = NONE if section.unknown else f"{len(section.rows):,}"
    head = el("summary", el("h3", section.title, el("span", count, class_="count")))
    note = el("p", section.note, class_="note") if section.note else None
    if not shown:
        said = f"Not known: {section.unknown}." if section.unknown else "Nothing to list."
        body = [note, el("p", said, class_="nothing")]
    else:
        body = [note, *_grid(section, shown, marks)]
    return el("section", el("details", head, *body, open=main or len(shown) <= OPEN),
              class_="card table", data_section=section.name)  # fmt: skip


def _grid(section: Section, shown: Sequence[Row], marks: Mapping[str, str]) -> list[Markup]:
    """The table, the switch for its details, and what it leaves out."""
    columns = _ordered(section.columns)
    hidden = {c.name for c in columns if c.detail or _tells_nothing(c, shown)}
    hidden -= {columns[0].name, *VERDICTS}
    layout = [
        ShownColumn(c, _is_number(c, shown), _kind(c, i, hidden)) for i, c in enumerate(columns)
    ]
    heads = [_heading(place) for place in layout]
    body = [_row(layout, row, marks) for row in shown]
    box = el("div", el("table", el("thead", el("tr", *heads)), el("tbody", *body)), class_="scroll",
             tabindex=0, role="region", aria_label=section.title)  # fmt: skip
    made = [box]
    if hidden:
        made.insert(0, el("label", el("input", type="checkbox", class_="every"),
                          f" {len(hidden)} more columns", class_="columns"))  # fmt: skip
    left_out = more(
        len(section.rows), len(shown), "rows: the report's JSON, CSV and Parquet have all"
    )
    if left_out:
        made.append(el("p", left_out, class_="more"))
    return made


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """A column in a table: whether it is of numbers, and the classes of its cells."""

    column: Column
    numeric: bool
    kind: str


def _ordered(columns: Sequence[Column]) -> list[Column]:
    """The verdict stands beside the name, where both stay in sight."""
    first, *rest = columns
    return [first, *sorted(rest, key=lambda c: c.name not in VERDICTS)]


def _tells_nothing(column: Column, rows: Sequence[Row]) -> bool:
    return all(r.get(column.name) in (None, "") for r in rows)


def _kind(column: Column, index: int, hidden: Set[str]) -> str:
    if index == 0:
        return "name"
    return "verdict" if column.name in VERDICTS else "detail" if column.name in hidden else ""


def _is_number(column: Column, rows: Sequence[Row]) -> bool:
    if column.unit in _NUMBERS:
        return True
    found = [r.get(column.name) for r in rows[:50]]
    known = [v for v in found if v is not None]
    return bool(known) and all(
        isinstance(v, int | float) and not isinstance(v, bool) for v in known
    )


def _heading(place: ShownColumn) -> Markup:
    column = place.column
    kind = f"{'num' if place.numeric else ''} {place.kind}".strip()
    return el("th", column.title, scope="col", title=column.doc or None, class_=kind or None,
              data_c=column.name)  # fmt: skip


def _row(layout: Sequence[ShownColumn], row: Row, marks: Mapping[str, str]) -> Markup:
    cells = []
    for place in layout:
        value = row.get(place.column.name)
        content, exact = cell(value, place.column, marks)
        if said := band(row, place.column.name, place.column.band, place.column.unit):
            content = join(content, el("small", f" {said}", class_="none"))
        kind = "num" if place.numeric else ""
        if isinstance(value, str) and len(value) > LONG and place.kind != "name":
            kind = "long"
        class_ = f"{kind} {place.kind}".strip() or None
        if place.kind == "name":
            cells.append(el("th", content, scope="row", data_v=exact, class_=class_))
        else:
            cells.append(el("td", content, data_v=exact, class_=class_))
    return el("tr", *cells)


def cell(
    value: object, column: Column, marks: Mapping[str, str]
) -> tuple[Markup | str, str | None]:
    """What a cell shows, and its exact value as JSON where that is more than the text."""
    exact = json.dumps(plain_value(value, column), default=name_text)
    if value == inf:
        return el("span", number(inf), class_="none", title="never"), exact
    if value is None or exact == "null":
        return el("span", NONE, class_="none", title="not known"), exact
    if isinstance(value, bool):
        return ("yes" if value else "no"), exact
    if isinstance(value, int | float):
        return _number(value, column), exact
    if isinstance(value, str | bytes):
        text = name_text(value)
        if text in marks:
            swatch = el("span", class_=f"swatch t-{marks[text]}", aria_hidden="true")
            return el("span", swatch, text, class_="status"), None
        if " " in text and len(text) <= SENTENCE:
            return el("bdi", text), None
        return _name(text), (None if len(visible(text)) <= NAME else text)
    said = nested(value)
    return el("span", shorten(said, NAME), title=said), exact


def _name(text: str) -> Markup:
    short = shorten(text, NAME)
    return el("bdi", short, title=text if short != visible(text) else None)


def _number(value: float, column: Column) -> Markup | str:
    if column.name.endswith(DELTA):
        return delta(value, column.unit)
    if column.name in IDS and value == int(value):
        return str(int(value))
    if column.name.endswith(SETTINGS) and not column.unit:
        return _setting(value, column.name)
    shown = value_text(value, column.unit)
    if column.unit == "ms" and (when := iso(value)):
        return el("time", moment(value, "%Y-%m-%d %H:%M"), datetime=when, title=shown)
    if column.unit in ("", "records") and isinstance(value, int):
        return shown
    exact = number(value)
    return shown if exact == shown else el("span", shown, title=exact)


def _setting(value: float, name: str) -> Markup | str:
    """A setting of Kafka, where -1 means that there is no limit."""
    if value < 0:
        return el("span", "none", title=number(value))
    shown = span(value / 1000) if name.endswith("_ms") else size(value)
    return el("span", shown, title=number(value))


SETTINGS = ("_ms", "_bytes")
DELTA = "_change"
"""Columns whose names end so show the change since the last run."""


def delta(value: float, unit: str, good: int = -1) -> Markup:
    """A change with an arrow; ``good``: which way is better (-1 less, 1 more, 0 neither)."""
    if not value:
        return el("span", "= 0", class_="delta")
    arrow, way = ("▲", 1) if value > 0 else ("▼", -1)
    kind = "" if not good else " better" if way == good else " worse"
    return el("span", f"{arrow} {value_text(abs(value), unit)}", class_=f"delta{kind}")


def nested(value: object) -> str:
    """Lists and structs in a line: ``3: 40 %, 1: 12 %``."""
    if isinstance(value, Mapping):
        items = list(value.items())
        if len(items) == 2 and items[1][0] == "share" and isinstance(items[1][1], float):
            return f"{nested(items[0][1])}: {value_text(items[1][1], 'share')}"
        return ", ".join(f"{k} {nested(v)}" for k, v in items)
    if isinstance(value, float):
        return number(value)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return ", ".join(nested(v) for v in value)
    return name_text(value)


def definitions(sections: Sequence[Section]) -> Markup:
    """What every column means, folded; the same meaning once."""
    seen: set[tuple[str, str]] = set()
    made = []
    for section in sections:
        known = [c for c in section.columns if c.doc and (c.title, c.doc) not in seen]
        seen |= {(c.title, c.doc) for c in known}
        if not known:
            continue
        terms = [join(el("dt", c.title), el("dd", c.doc)) for c in known]
        made.append(el("div", el("h4", section.title), el("dl", *terms)))
    head = el("summary", el("h3", "What the columns mean"))
    return el("section", el("details", head, *made), class_="card definitions")
