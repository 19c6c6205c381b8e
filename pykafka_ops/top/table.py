"""A page as plain values: lines, columns, rows; how rows are sorted, filtered and laid out.

Nothing here knows textual, a clock or a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, NamedTuple

from rich.cells import cell_len, set_cell_size

from pykafka_ops.monitor.wording.line import NONE, Line
from pykafka_ops.monitor.wording.text import plain

GAP: Final = 1
LEAST: Final = 12
"""Columns that the one with names has at least."""


class ViewPlace(NamedTuple):
    """Where one is: a view and what it is about. ``offset`` -1: the newest records."""

    view: str
    name: str = ""
    partition: int = -1
    offset: int = -1


class TopColumn(NamedTuple):
    """A column. ``width`` 0: it takes what is left. On a narrow terminal the columns of the
    highest ``rank`` go first; those of rank 0 stay. ``order`` makes of a value what is compared."""

    key: str
    title: str
    width: int = 0
    right: bool = False
    rank: int = 0
    text: Callable[[object], str] = plain
    tone: Callable[[object], str] = lambda _: NONE
    order: Callable[[object], object] | None = None


class Entry(NamedTuple):
    """A row: what it is, its values in the order of the columns, where Enter leads."""

    key: Hashable
    values: tuple[object, ...]
    opens: ViewPlace | None = None


class Page(NamedTuple):
    """All that one view shows. ``command`` is the ``pko`` command with the same answer, ``empty``
    what stands where there are no rows."""

    title: str
    columns: tuple[TopColumn, ...]
    entries: Sequence[Entry]
    lines: Sequence[Line] = ()
    command: tuple[str, ...] = ()
    empty: str = "nothing"


class Order(NamedTuple):
    """By which column rows are sorted; None: as the page gives them, the worst first."""

    key: str | None = None
    reverse: bool = False


def ordered(page: Page, order: Order) -> list[Entry]:
    """The rows in that order; what is not known comes last, whichever way."""
    at = next((i for i, c in enumerate(page.columns) if c.key == order.key), None)
    if at is None:
        found = list(page.entries)
        return found[::-1] if order.reverse else found
    by = page.columns[at].order or _comparable
    known = [e for e in page.entries if e.values[at] is not None]
    unknown = [e for e in page.entries if e.values[at] is None]

    def key(entry: Entry) -> tuple[bool, Any]:  # numbers, then texts
        value = by(entry.values[at])
        return isinstance(value, str), value

    known.sort(key=key, reverse=order.reverse)
    return known + unknown


def _comparable(value: object) -> object:
    if isinstance(value, (int, float)):
        return value
    return plain(value).casefold()


def next_order(page: Page, now: Order, shown: Sequence[TopColumn]) -> Order:
    """The order behind this one: column by column, numbers the greatest first, then as given."""
    keys = [None, *(c.key for c in shown)]
    at = keys.index(now.key) if now.key in keys else 0
    key = keys[(at + 1) % len(keys)]
    column = next((c for c in page.columns if c.key == key), None)
    return Order(key, bool(column and column.right))


def matching(page: Page, entries: Sequence[Entry], wanted: str) -> list[Entry]:
    """The rows with ``wanted`` in some cell as it is shown, in any case; ``!`` before it: those
    without."""
    inverse = wanted.startswith("!")
    needle = wanted.removeprefix("!").casefold()
    if not needle:
        return list(entries)
    texts = [c.text for c in page.columns]

    def has(entry: Entry) -> bool:
        return any(
            needle in text(value).casefold()
            for text, value in zip(texts, entry.values, strict=True)
        )

    return [e for e in entries if has(e) != inverse]


# --- in so many columns of a terminal ------------------------------------------------------------


class Laid(NamedTuple):
    """The columns that fit, their places in a row's values, and their widths."""

    columns: tuple[TopColumn, ...]
    places: tuple[int, ...]
    widths: tuple[int, ...]


def laid(columns: Sequence[TopColumn], width: int) -> Laid:
    """As many columns as fit into ``width``; those without a width share what is left."""
    kept = list(enumerate(columns))
    while _needed(kept) > width and any(c.rank for _, c in kept):
        worst = max(c.rank for _, c in kept)
        drop = max(i for i, c in kept if c.rank == worst)
        kept = [(i, c) for i, c in kept if i != drop]
    fixed = sum(c.width for _, c in kept) + GAP * (len(kept) - 1)
    flexible = sum(not c.width for _, c in kept)
    left = max(width - fixed, LEAST * flexible)
    share = left // flexible if flexible else 0
    widths, rest = [], left - share * flexible
    for _, c in kept:
        widths.append(c.width or share + (rest if rest and not c.width else 0))
        rest = rest if c.width else 0
    return Laid(tuple(c for _, c in kept), tuple(i for i, _ in kept), tuple(widths))


def _needed(kept: Sequence[tuple[int, TopColumn]]) -> int:
    return sum(c.width or LEAST for _, c in kept) + GAP * (len(kept) - 1)


def fitted(text: str, width: int, *, right: bool = False) -> str:
    """Exactly ``width`` columns of a terminal; what is cut ends in ``…``."""
    have = cell_len(text)
    if have > width:
        return set_cell_size(text, width - 1) + "…" if width > 1 else "…"[:width]
    return " " * (width - have) + text if right else text + " " * (width - have)
