"""What a report becomes before it is HTML: a headline, tiles, pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import isfinite

from pykafka_ops.page.charts.bars import Bar, bars
from pykafka_ops.page.markup import Markup, name_text, shorten
from pykafka_ops.page.units import NONE, size, value_text
from pykafka_ops.spark.model import Report, Row

BRIEF = 36
"""Characters of a name in a headline."""
SHOWN = 12
"""Bars and rows of a picture; the rest is counted in words."""


@dataclass(frozen=True, slots=True)
class Tile:
    """A figure on top: ``value`` as ``text``; ``tone`` is ok, warn or bad, else plain.

    ``good`` says which way is better: -1 less, 1 more, 0 neither. ``unit`` as in model.Column.
    ``of`` is the section that the figure is made of.
    """

    name: str
    value: float | None
    text: str
    note: str = ""
    tone: str = ""
    good: int = -1
    unit: str = ""
    of: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure of the page: what it shows, how to read it, and what it leaves out."""

    title: str
    note: str
    body: Markup
    more: str = ""


@dataclass(slots=True)
class View:
    """A report on the page.

    ``brief`` is what is wrong beside other reports (empty: the headline), ``order`` which of them
    comes first where all are as bad; ``hottest`` names the column that orders a section's rows.
    """

    title: str
    headline: str
    tone: str
    tiles: Sequence[Tile]
    pictures: Sequence[Picture]
    main: str
    marks: dict[str, str] = field(default_factory=dict)
    brief: str = ""
    order: int = 9
    hottest: dict[str, str] = field(default_factory=dict)


def rows(report: Report, name: str) -> Sequence[Row]:
    """The rows of a section, none if the report has not got it."""
    try:
        return report.section(name).rows
    except KeyError:
        return ()


def unknown(report: Report, name: str) -> str:
    """Why nobody knows what rows a section should have; empty where that is known."""
    return next((s.unknown for s in report.sections if s.name == name), "")


def unknown_partitions(report: Report) -> int:
    """How many partitions of its topics nobody tells of."""
    return sum(int(amount(r, "unknown_partitions")) for r in rows(report, "topics"))


def lacking(report: Report) -> str:
    """``3 partitions not known``; empty where all are."""
    dark = unknown_partitions(report)
    return f"{plural(dark, 'partition')} not known" if dark else ""


def blank(tile: Tile) -> Tile:
    """The tile of a section that is not known: no figure, and no green."""
    return replace(tile, value=None, text=NONE, note="not known", tone="warn")


def num(row: Row, name: str) -> float | None:
    """A number of a row; None for what is missing, no number, or not finite."""
    value = row.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return None
    return value


def whole(row: Row, name: str) -> int | None:
    """The same, without a fraction: times and ids."""
    value = num(row, name)
    return None if value is None else int(value)


def amount(row: Row, name: str) -> float:
    """The same, 0 where it is not known."""
    return num(row, name) or 0.0


def band(row: Row, name: str, ends: tuple[str, str] | None, unit: str) -> str:
    """``4.2 % to 5.0 %``: what a number may be, by the columns of its ends; empty where its own
    text says as much."""
    found = [num(row, each) for each in (name, *(ends or ()))]
    if ends is None or None in found:
        return ""
    value, *said = (value_text(each, unit) for each in found if each is not None)
    return "" if set(said) == {value} else " to ".join(said)


def text(row: Row, name: str) -> str:
    """A name of a row."""
    return name_text(row.get(name))


def brief(row: Row, name: str) -> str:
    """A name of a row where there is little room: in a headline, on a tile."""
    return shorten(text(row, name), BRIEF)


def sentence(words: str) -> str:
    """With a capital letter first; all else stays as it is, since names are in it."""
    return words[:1].upper() + words[1:]


def most(items: Sequence[Row], name: str) -> Row | None:
    """The row with the greatest value; None where no row has one."""
    known = [r for r in items if num(r, name) is not None]
    return max(known, key=lambda r: amount(r, name), default=None)


def least(items: Sequence[Row], name: str) -> Row | None:
    """The row with the least value; None where no row has one."""
    known = [r for r in items if num(r, name) is not None]
    return min(known, key=lambda r: amount(r, name), default=None)


def more(total: int, shown: int, what: str) -> str:
    """``and 9,988 more groups``; empty where all are shown."""
    return f"and {total - shown:,} more {what}" if total > shown else ""


def barred(title: str, note: str, drawn: Sequence[Bar], total: int, what: str) -> Picture | None:
    """Bars of the first of ``total``; None where there are none."""
    if not drawn:
        return None
    return Picture(title, note, bars(title, drawn), more(total, len(drawn), what))


def plural(count: int, one: str, many: str = "") -> str:
    """``1 group``, ``2 groups``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def listed(names: Sequence[str], limit: int = 3) -> str:
    """``a, b and c``; ``a, b, c and 4 more``."""
    head = [shorten(n, BRIEF) for n in names[:limit]]
    if len(names) > limit:
        return f"{', '.join(head)} and {len(names) - limit:,} more"
    return head[0] if len(head) == 1 else f"{', '.join(head[:-1])} and {head[-1]}" if head else ""


READ = "read"
"""Of ``Report.source``: how much is read of what."""


def reading(report: Report) -> list[str]:
    """How much of log directories was read: ``5 of 120 segments for records, 1 GiB of 40 GiB``; of
    a sample its units, too."""
    found = report.source.get(READ)
    return [
        f"{plan['segments']:,} of {plan['of_segments']:,} segments for {what}, "
        f"{size(plan['bytes'])} of {size(plan['of_bytes'])}"
        + (f", a sample of {plan['units']:,} of {plan['of_units']:,} units"
           if plan.get("of_units") else "")
        for what, plan in (found.items() if isinstance(found, dict) else ())
    ]  # fmt: skip
