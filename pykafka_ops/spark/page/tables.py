"""Sections as HTML tables; what ``-o json`` says of a cell is in ``data-v`` where it says more."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import inf

from pykafka_ops.page.markup import Markup, el, join, name_text, shorten, visible
from pykafka_ops.page.units import NONE, iso, number, span, value_text
from pykafka_ops.spark.model import Column, Row, Section
from pykafka_ops.spark.output.document import value as plain_value
from pykafka_ops.spark.page.parts import more

ROWS = 500
"""Rows on the page; the files of the report have all."""
NAME = 48
LONG, SENTENCE = 32, 300
"""Text longer than the first is wrapped; words up to the second are not shortened."""
WIDE = 11
"""Tables of more columns than this are turned on paper."""
_NUMBERS = ("ms", "bytes", "bytes/s", "records", "records/s", "seconds", "share", "percent", "days")


def table(section: Section, marks: Mapping[str, str]) -> Markup:
    """A section with its heading, its table and how much of it is left out.

    ``marks`` gives the tone of a status; a cell with one of these words carries a swatch.
    """
    shown = section.rows[:ROWS]
    count = NONE if section.unknown else f"{len(section.rows):,}"
    head = el("h3", section.title, el("span", count, class_="count"))
    note = el("p", section.note, class_="note") if section.note else None
    if not shown:
        said = f"Not known: {section.unknown}." if section.unknown else "Nothing to list."
        return el("section", head, note, el("p", said, class_="nothing"),
                  class_="card table", data_section=section.name)  # fmt: skip
    numeric = {c.name: _is_number(c, shown) for c in section.columns}
    heads = [_heading(c, numeric[c.name]) for c in section.columns]
    body = [_row(section.columns, numeric, row, marks) for row in shown]
    box = el("div", el("table", el("thead", el("tr", *heads)), el("tbody", *body)), class_="scroll",
             tabindex=0, role="region", aria_label=section.title)  # fmt: skip
    left_out = more(
        len(section.rows), len(shown), "rows: the report's JSON, CSV and Parquet have all"
    )
    wide = " landscape" if len(section.columns) > WIDE else ""
    return el("section", head, note, box, el("p", left_out, class_="more") if left_out else None,
              class_=f"card table{wide}", data_section=section.name)  # fmt: skip


def _is_number(column: Column, rows: Sequence[Row]) -> bool:
    if column.unit in _NUMBERS:
        return True
    found = [r.get(column.name) for r in rows[:50]]
    known = [v for v in found if v is not None]
    return bool(known) and all(
        isinstance(v, int | float) and not isinstance(v, bool) for v in known
    )


def _heading(column: Column, numeric: bool) -> Markup:
    return el("th", column.title, scope="col", title=column.doc or None,
              class_="num" if numeric else None, data_c=column.name)  # fmt: skip


def _row(
    columns: Sequence[Column], numeric: Mapping[str, bool], row: Row, marks: Mapping[str, str]
) -> Markup:
    cells = []
    for i, column in enumerate(columns):
        value = row.get(column.name)
        content, exact = cell(value, column, marks)
        kind = "num" if numeric[column.name] else None
        if i == 0:
            cells.append(el("th", content, scope="row", data_v=exact, class_=kind))
        else:
            if isinstance(value, str) and len(value) > LONG:
                kind = "long"
            cells.append(el("td", content, data_v=exact, class_=kind))
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
    if column.name.endswith("_ms") and not column.unit and value >= 0:  # a setting of Kafka
        return el("span", span(value / 1000), title=number(value))
    shown = value_text(value, column.unit)
    if column.unit == "ms" and (when := iso(value)):
        return el("time", shown, datetime=when)
    if column.unit in ("", "records") and isinstance(value, int):
        return shown
    exact = number(value)
    return shown if exact == shown else el("span", shown, title=exact)


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
    """What every column means, once per section."""
    made = []
    for section in sections:
        known = [c for c in section.columns if c.doc]
        if not known:
            continue
        terms = [join(el("dt", c.title), el("dd", c.doc)) for c in known]
        made.append(el("div", el("h4", section.title), el("dl", *terms)))
    return el("section", el("h3", "What the columns mean"), *made, class_="card definitions")
