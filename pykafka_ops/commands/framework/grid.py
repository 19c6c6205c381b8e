"""Rows as lines of a terminal: what stands where if there is less room than the cells want.

A number, an offset, a name or an id is never broken: lists and sentences are, behind a comma, a
semicolon or a space. A cell longer than its column stands in a line of its own, so that it widens
no other row, and the rest of its row goes on in the next line, below its headings. Where not even
the numbers fit beside each other, each row is a list of headings and values.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

GAP, NARROW_GAP = 2, 1
_TOKEN = re.compile(r"[^,; ]*[,; ]*")
_TITLE = re.compile(r"[^- ]*[- ]?")


class Piece(NamedTuple):
    """A text with its padding; ``column`` is the number of the column, -1 for a heading."""

    text: str
    column: int


Line = list[Piece]


def width(text: str) -> int:
    """Columns of the terminal that ``text`` takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def wrapped(text: str, room: int) -> list[str]:
    """``text`` in lines of ``room`` columns, broken where lists and sentences may be; what cannot
    be broken is longer."""
    return _joined(_TOKEN.findall(text), room)


def _joined(tokens: Sequence[str], room: int) -> list[str]:
    lines, line = [], ""
    for token in tokens:
        if line and width((line + token).rstrip()) > room:
            lines.append(line.rstrip())
            line = ""
        line += token
    if line.rstrip() or not lines:
        lines.append(line.rstrip())
    return lines


class Grid:
    """``titles`` and ``rows`` of cells for ``room`` columns (None: as many as they take).

    ``right``: which columns are numbers, aligned to the right.
    """

    def __init__(
        self,
        titles: Sequence[str],
        right: Sequence[bool],
        rows: Sequence[Sequence[str]],
        room: int | None = None,
    ) -> None:
        self.titles, self.right, self.rows, self.room = titles, right, rows, room
        cells = [max([width(row[i]) for row in rows], default=0) for i in range(len(titles))]
        self.widths = [max(width(t), cell) for t, cell in zip(titles, cells, strict=True)]
        self.gap = GAP
        self.upright = True
        """Whether rows stand below headings; else each is a list."""
        self.overfull: set[int] = set()
        """Columns with cells that are too long for them."""
        self.long = 0
        """How many such cells there are."""
        if room is not None and self._total(self.widths) > room:
            self._squeeze(cells, room)

    def _squeeze(self, cells: Sequence[int], room: int) -> None:
        """Narrow columns, and the gaps where that leaves fewer cells too long for theirs."""
        texts = [i for i, right in enumerate(self.right) if not right]
        needs = {i: sorted(_need(row[i]) for row in self.rows) for i in texts}
        found = []
        for gap in (GAP, NARROW_GAP):
            self.gap = gap
            widths = self._narrowed(cells, needs, room)
            if widths is not None:
                long = sum(need > widths[i] for i in texts for need in needs[i])
                found.append((long, -gap, widths))
        if not found:
            self.upright = False
            return
        self.long, gap, self.widths = min(found)
        self.gap = -gap
        self.overfull = {i for i in texts if needs[i][-1] > self.widths[i]}
        alone = len(self.rows) == 1 and not self.overfull <= {0}
        self.upright = self.long <= len(self.rows) and not alone

    def _narrowed(
        self, cells: Sequence[int], needs: Mapping[int, Sequence[int]], room: int
    ) -> list[int] | None:
        """What numbers need, and as much for the texts as lets most of them stay whole; None where
        there is no room for that."""
        heads = [max(map(width, _TITLE.findall(title))) for title in self.titles]
        given = [max(h, c) if r else h for h, c, r in zip(heads, cells, self.right, strict=True)]
        left = room - self._total(given)
        if left < 0:
            return None
        left -= _widened(given, needs, left)
        for i, title in enumerate(self.titles):
            if 0 < (more := width(title) - given[i]) <= left:
                given[i] += more
                left -= more
        for i in sorted(needs, key=lambda i: cells[i] - given[i]):  # lists take fewer lines
            more = max(0, min(cells[i] - given[i], left)) if needs[i][-1] <= given[i] else 0
            given[i] += more
            left -= more
        return given

    def _total(self, widths: Sequence[int]) -> int:
        return sum(widths) + self.gap * (len(widths) - 1)

    def head(self) -> Iterator[Line]:
        """The headings, a long one in several lines; none where each row has them."""
        if not self.upright:
            return
        parts = [_joined(_TITLE.findall(t), w) if width(t) > w else [t]
                 for t, w in zip(self.titles, self.widths, strict=True)]  # fmt: skip
        for line in self._side_by_side(range(len(parts)), parts):
            yield [Piece(piece.text, -1) for piece in line]

    def row(self, cells: Sequence[str]) -> Iterator[Line]:
        """The lines of one row."""
        if not self.upright:
            yield from self._list(cells)
            return
        beside: list[int] = []
        texts: list[list[str]] = []
        for i, text in enumerate(cells):
            lines = [text] if width(text) <= self.widths[i] else wrapped(text, self.widths[i])
            if width(text) <= self.widths[i] or max(map(width, lines)) <= self.widths[i]:
                beside.append(i)
                texts.append(lines)
                continue
            yield from self._side_by_side(beside, texts)
            beside, texts = [], []
            yield from self._alone(i, text)
        yield from self._side_by_side(beside, texts)

    def _alone(self, column: int, text: str) -> Iterator[Line]:
        """A long cell, below its heading or as far to the left as it has to be."""
        room = self.room or 0
        lines = [text] if width(text) <= room else wrapped(text, room)
        start = min(self._start(column), room - max(map(width, lines)))
        for line in lines:
            yield [Piece(" " * max(0, start) + line, column)]

    def _start(self, column: int) -> int:
        return sum(self.widths[:column]) + self.gap * column

    def _side_by_side(
        self, columns: Sequence[int], texts: Sequence[Sequence[str]]
    ) -> Iterator[Line]:
        """Cells of one row, of one or more lines each, at their places."""
        for number in range(max(map(len, texts), default=0)):
            line, at = [], 0
            for column, lines in zip(columns, texts, strict=True):
                text = lines[number] if number < len(lines) else ""
                blank = " " * (self.widths[column] - width(text))
                before = " " * (self._start(column) - at)
                padded = blank + text if self.right[column] else text + blank
                line.append(Piece(before + padded, column))
                at = self._start(column) + self.widths[column]
            yield line

    def _list(self, cells: Sequence[str]) -> Iterator[Line]:
        """Headings and values, one below the other."""
        indent = max(map(width, self.titles)) + GAP
        room = (self.room or 0) - indent
        for column, (title, text) in enumerate(zip(self.titles, cells, strict=True)):
            head = Piece(title + " " * (indent - width(title)), -1)
            lines = wrapped(text, room)
            if max(map(width, lines)) > room:  # in a line of its own it is in one piece
                yield [head]
                yield from ([Piece(line, column)] for line in wrapped(text, self.room or 0))
                continue
            for number, line in enumerate(lines):
                yield [head if number == 0 else Piece(" " * indent, -1), Piece(line, column)]


def fitted(
    titles: Sequence[str],
    right: Sequence[bool],
    rows: Sequence[Sequence[str]],
    room: int | None,
    spare: Sequence[int],
) -> tuple[Grid, list[int]]:
    """The grid, and which columns it has: without as many of the ``spare`` ones, the last first, as
    makes it readable."""
    shown, left = list(range(len(titles))), list(spare)
    tried: list[tuple[bool, int, int, Grid, list[int]]] = []
    while True:
        cells = [[row[i] for i in shown] for row in rows]
        grid = Grid([titles[i] for i in shown], [right[i] for i in shown], cells, room)
        whole = grid.upright and all(shown[i] not in left for i in grid.overfull)
        if whole and grid.long * 4 <= len(rows):
            return grid, shown
        tried.append((not whole, grid.long, len(tried), grid, shown))
        if not left:
            return min(tried)[3:]
        gone = left.pop()
        shown = [i for i in shown if i != gone]


def _need(text: str) -> int:
    """The least width in which the text can stand."""
    return max(map(width, wrapped(text, 0)))


def _widened(given: list[int], needs: Mapping[int, Sequence[int]], left: int) -> int:
    """Widen columns, each time where the most cells for a column of the terminal become whole;
    what that took of ``left``. ``needs``: of each column the widths of its cells, in order."""
    taken = 0
    while True:
        steps = [
            (
                (bisect_right(wanted, need) - bisect_right(wanted, given[i])) / (need - given[i]),
                i,
                need,
            )
            for i, wanted in needs.items()
            for need in dict.fromkeys(wanted)
            if given[i] < need <= given[i] + left - taken
        ]
        if not steps:
            return taken
        _, column, need = max(steps)
        taken += need - given[column]
        given[column] = need
