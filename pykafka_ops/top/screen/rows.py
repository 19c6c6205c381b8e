"""Rows of which only those in sight are drawn: a key press costs the same for any number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import Click, MouseScrollDown, MouseScrollUp
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from pykafka_ops.monitor.wording import line
from pykafka_ops.top.table import Entry, Laid, Order, TopColumn, fitted, laid

STYLES: Final = {
    line.GOOD: Style(color="green"),
    line.WARN: Style(color="yellow", bold=True),
    line.BAD: Style(color="red", bold=True),
    line.DIM: Style(dim=True),
    line.NONE: Style(),
}
_HEAD: Final = Style(bold=True, underline=True)
_HERE: Final = Style(reverse=True)
_MARK: Final = 1
"""Columns before the rows: a sign shows where one is without any colour."""


class RowList(Widget, can_focus=True):
    """A heading and rows; the cursor stays on what it was on when rows come anew."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "go(-1)", show=False),
        Binding("down,j", "go(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown,space", "page(1)", show=False),
        Binding("home,g", "edge(-1)", show=False),
        Binding("end,G", "edge(1)", show=False),
        Binding("enter", "open", show=False),
    ]

    class Opened(Message):
        """Enter was pressed on a row, or it was clicked twice."""

        def __init__(self, entry: Entry) -> None:
            super().__init__()
            self.entry = entry

    def __init__(self) -> None:
        super().__init__()
        self.columns: Sequence[TopColumn] = ()
        self.entries: Sequence[Entry] = ()
        self.order, self.empty = Order(), ""
        self.cursor = self.top = 0

    def show(
        self, columns: Sequence[TopColumn], entries: Sequence[Entry], order: Order, empty: str
    ) -> None:
        """Other rows."""
        here = self.current
        self.columns, self.entries, self.order, self.empty = columns, entries, order, empty
        if here is not None and self.cursor < len(entries):
            same = entries[self.cursor].key == here.key
            at = None if same else next((i for i, e in enumerate(entries) if e.key == here.key), 0)
            self.cursor = self.cursor if at is None else at
        self._move(self.cursor)

    def restart(self, cursor: int = 0) -> None:
        """Other rows will come, of another page."""
        self.entries, self.cursor, self.top = (), cursor, 0

    @property
    def current(self) -> Entry | None:
        """The row at the cursor."""
        return self.entries[self.cursor] if self.cursor < len(self.entries) else None

    @property
    def laid(self) -> Laid:
        """The columns that fit now."""
        return laid(self.columns, max(1, self.size.width - _MARK))

    # -- keys ------------------------------------------------------------------------------------

    def _move(self, to: int) -> None:
        self.cursor = max(0, min(to, len(self.entries) - 1))
        room = max(1, self.size.height - 1)
        self.top = min(max(self.top, self.cursor - room + 1), self.cursor)
        self.top = max(0, min(self.top, len(self.entries) - room))
        self.refresh()

    def action_go(self, by: int) -> None:
        """So many rows on."""
        self._move(self.cursor + by)

    def action_page(self, by: int) -> None:
        """So many pages on."""
        self._move(self.cursor + by * max(1, self.size.height - 2))

    def action_edge(self, end: int) -> None:
        """The first row, or the last."""
        self._move(0 if end < 0 else len(self.entries))

    def action_open(self) -> None:
        """Into the row."""
        if self.current is not None:
            self.post_message(self.Opened(self.current))

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """The wheel."""
        event.stop()
        self._move(self.cursor + 3)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """The wheel."""
        event.stop()
        self._move(self.cursor - 3)

    def on_click(self, event: Click) -> None:
        """A click goes to a row, two open it."""
        if 1 <= event.y <= len(self.entries) - self.top:
            self._move(self.top + event.y - 1)
            if event.chain == 2:
                self.action_open()

    def on_resize(self) -> None:
        """The cursor stays in sight."""
        self._move(self.cursor)

    # -- drawing ---------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """One line; textual asks for those in sight alone."""
        width = self.size.width
        if y == 0:
            return self._heading(width)
        at = self.top + y - 1
        if at >= len(self.entries):
            text = f" {self.empty}" if y == 1 and not self.entries else ""
            return Strip([Segment(fitted(text, width))], width)
        return self._row(at, width)

    def _heading(self, width: int) -> Strip:
        fit, texts = self.laid, []
        for column, room in zip(fit.columns, fit.widths, strict=True):
            sign = ("▼" if self.order.reverse else "▲") if column.key == self.order.key else ""
            texts.append(fitted(sign + column.title, room, right=column.right))
        return Strip([Segment(fitted(" " + " ".join(texts), width), _HEAD)], width)

    def _row(self, at: int, width: int) -> Strip:
        fit, entry = self.laid, self.entries[at]
        here = at == self.cursor
        base = _HERE if here else Style()
        segments = [Segment(">" if here else " ", base)]
        for n, (column, place, room) in enumerate(
            zip(fit.columns, fit.places, fit.widths, strict=True)
        ):
            value = entry.values[place]
            text = fitted(column.text(value), room, right=column.right)
            segments.append(Segment((" " if n else "") + text, base + STYLES[column.tone(value)]))
        return Strip(segments).adjust_cell_length(width, base)
