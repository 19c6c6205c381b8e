"""A report on the terminal: headline, figures, and the tables that matter, coloured by rich."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TextIO

from rich.console import Console
from rich.style import Style
from rich.text import Text

from pykafka_ops.commands.framework.grid import fitted
from pykafka_ops.page.units import NONE, moment, share, value_text
from pykafka_ops.spark.model import Column, Report, Row, Section
from pykafka_ops.spark.page import (
    audit,
    compare,
    cost,
    forecast,
    formats,
    lag,
    retention,
    skew,
    slo,
)
from pykafka_ops.spark.page.parts import Tile, band, reading

_VIEWS: Final = {
    "lag": ("Consumer lag", lag.headline, lag.tiles),
    "skew": ("Partition skew", skew.headline, skew.tiles),
    "retention": ("Retention", retention.headline, retention.tiles),
    "cost": ("Cost", cost.headline, cost.tiles),
    "slo": ("Freshness", slo.headline, slo.tiles),
    "compare": ("What changed", compare.headline, compare.tiles),
    "audit": ("Audit", audit.headline, audit.tiles),
    "forecast": ("Capacity forecast", forecast.headline, forecast.tiles),
    "formats": ("Formats", formats.headline, formats.tiles),
}
_SHOWN: Final[Mapping[str, Sequence[str]]] = {
    "lag": ("groups", "silent_groups", "unread_topics"),
    "skew": ("topics", "brokers", "keys", "moves"),
    "retention": ("topics", "dirs", "at_risk", "compaction"),
    "cost": ("topics", "owners", "savings"),
    "slo": ("objectives",),
    "compare": ("changes", "sections"),
    "audit": ("partitions", "buckets", "counted"),
    "forecast": ("brokers", "dirs", "topics"),
    "formats": ("topics", "kinds"),
}
"""Sections of ``-o table``; ``wide`` has all."""
_TONES: Final = {
    "ok": "green", "even": "green", "warn": "yellow", "uneven": "yellow", "skewed": "red",
    "severe": "bold red", "stall": "red", "stop": "red", "rewind": "red", "error": "red",
    "err": "red", "missing": "bold red", "extra": "red", "altered": "red", "reordered": "yellow",
    "partial": "yellow", "lost": "bold red", "ahead": "bold red",
    "reached": "bold red", "within": "red", "maybe": "yellow", "too-few-runs": "dim",
    "broken": "bold red", "burning": "red", "slow": "yellow", "unknown": "dim",
}  # fmt: skip
_WIDTH: Final = 160
"""Columns where nobody looks at a terminal."""
_CHANGE: Final = "_change"
_KEEP: Final = ("status", "band", "lag", "bytes", "cost", "saving")
"""Columns that go last where there is too little room."""


class TerminalPage:
    """Writes to ``out``, ``width`` columns wide (None: as wide as need be)."""

    def __init__(self, out: TextIO, width: int | None, *, colours: bool) -> None:
        self._console = Console(
            file=out,
            width=width or 100_000,
            force_terminal=colours,
            no_color=not colours,
            color_system="standard" if colours else None,
            highlight=False,
            emoji=False,
            markup=False,
        )
        self._fits = width
        self._width = width or _WIDTH

    def report(self, report: Report, main: Section, *, wide: bool, top: int) -> None:
        """One report; ``main`` comes first, ``top`` bounds the rows of each table."""
        title, headline, tiles = _VIEWS[report.kind]
        head = Text(title, "bold")
        head.append(f"  {moment(report.now)} UTC", "dim")
        self._console.print(head)
        self._console.print(printable(headline(report)), width=self._width)
        for figures in self._figures(tiles(report)):
            self._console.print(figures, width=self._width)
        if read := reading(report):
            self._console.print(Text(f"read {'; '.join(read)}", "dim"), width=self._width)
        if report.problems:
            count = len(report.problems)
            said = (
                "1 place could not be read" if count == 1 else f"{count} places could not be read"
            )
            self._console.print(Text(said, "red"))
        for section in self._sections(report, main, wide=wide):
            self._section(section, wide=wide, top=top)
        self._advice(report)
        self._console.print()

    def _figures(self, tiles: Sequence[Tile]) -> list[Text]:
        """Lines of figures, none of them broken."""
        lines = [Text()]
        for tile in tiles:
            figure = Text(f"{tile.name} ", "dim").append(tile.text, "not dim bold")
            if lines[-1] and lines[-1].cell_len + 5 + figure.cell_len > self._width:
                lines.append(Text())
            lines[-1].append("  ·  " if lines[-1] else "", "dim").append_text(figure)
        return lines

    def _sections(self, report: Report, main: Section, *, wide: bool) -> list[Section]:
        names = _SHOWN[report.kind]
        rest = [s for s in report.sections if s is not main and (wide or s.name in names)]
        return [main, *(s for s in rest if s.rows or s.unknown)]

    def _section(self, section: Section, *, wide: bool, top: int) -> None:
        self._console.print()
        rows = list(section.rows[:top])
        columns = [c for c in section.columns if wide or not c.detail]
        columns = [c for c in columns if c.name != "advice" and _tells(rows, c)]
        title = Text(section.title, "bold underline")
        if not rows:
            said = f"not known: {section.unknown}" if section.unknown else "none"
            title.append(f"  {said}", "not bold not underline dim")
            self._console.print(title)
            return
        self._console.print(title)
        shown = self._table(columns, rows)
        if section.note:
            self._console.print(Text(f"  {section.note}", "dim"), width=self._width)
        self._left_out(section, columns, shown, len(rows))

    def _left_out(
        self, section: Section, columns: Sequence[Column], shown: Sequence[int], rows: int
    ) -> None:
        """What a reader of the table does not see."""
        said = []
        if len(section.rows) > rows:
            said.append(f"{len(section.rows) - rows} more rows (--top, -o json)")
        if len(shown) < len(columns):
            names = ", ".join(c.title for i, c in enumerate(columns) if i not in shown)
            said.append(f"no room for {names}")
        if said:
            self._console.print(Text(f"  … {'; '.join(said)}", "dim"))

    def _table(self, columns: Sequence[Column], rows: Sequence[Row]) -> list[int]:
        """The rows; which columns there was room for."""
        cells = [[_with_band(row, c) for c in columns] for row in rows]
        spare = [i for i, c in enumerate(columns) if i and c.name not in _KEEP]
        grid, shown = fitted(
            [c.title for c in columns],
            [_number(c, rows) for c in columns],
            [[text.plain for text in line] for line in cells],
            self._fits,
            spare,
        )
        for pieces in grid.head():
            self._line([(piece.text, "dim") for piece in pieces])
        for number, (texts, styled) in enumerate(zip(grid.rows, cells, strict=True)):
            if number and not grid.upright:
                self._console.print()
            styles = [styled[i].style for i in shown]
            for pieces in grid.row(texts):
                self._line([(p.text, "dim" if p.column < 0 else styles[p.column]) for p in pieces])
        return shown

    def _line(self, pieces: Sequence[tuple[str, str | Style]]) -> None:
        """A line as it is: what is too long for the terminal is for it to fold."""
        line = Text.assemble(*pieces)
        line.rstrip()
        self._console.print(line, soft_wrap=True)

    def _advice(self, report: Report) -> None:
        """What to do, a line for each row that says so."""
        lines = [
            (str(next(iter(row.values()))), str(row["advice"]))
            for section in report.sections
            for row in section.rows
            if row.get("advice")
        ]
        if lines:
            self._console.print()
            self._console.print(Text("What to do", "bold underline"))
        for name, said in lines:
            line = Text("→ ", "dim")
            line.append(name, "bold")
            self._console.print(line.append(f": {said}", "not bold"), width=self._width)


def _tells(rows: Sequence[Row], column: Column) -> bool:
    """Whether some row has a value here; a column of nothing is left out."""
    return any(row.get(column.name) not in (None, "", [], ()) for row in rows)


def _number(column: Column, rows: Sequence[Row]) -> bool:
    if column.unit and column.unit != "ms":
        return True
    values = [row.get(column.name) for row in rows]
    return any(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)


def _with_band(row: Row, column: Column) -> Text:
    found = _cell(row.get(column.name), column)
    said = band(row, column.name, column.band, column.unit)
    return found.append(f" ({said})") if said else found


def _cell(value: object, column: Column) -> Text:
    if value is None or value == "" or value == []:
        return Text(NONE, "dim")
    if isinstance(value, bool):
        return Text("yes" if value else "no")
    if isinstance(value, (int, float)):
        text = str(value) if _is_id(column) else value_text(value, column.unit)
        if column.name.endswith(_CHANGE):
            return Text(f"+{text}", "yellow") if value > 0 else Text(text, "green")
        return Text(text)
    if isinstance(value, (list, tuple)):
        return Text(", ".join(_item(v) for v in value))
    return Text(printable(str(value)), _TONES.get(str(value).lower(), ""))


def _is_id(column: Column) -> bool:
    """Numbers that name something have no thousands."""
    return column.name in ("partition", "leader", "broker", "from", "to")


def _item(value: object) -> str:
    if isinstance(value, dict):
        part, portion = value.get("partition"), value.get("share")
        if isinstance(portion, (int, float)):
            return f"{part} ({share(portion)})"
        return " ".join(printable(str(v)) for v in value.values())
    return printable(str(value))


def printable(text: str) -> str:
    """Names are others' words: nothing in them may move the cursor or colour the screen."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
