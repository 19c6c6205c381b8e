"""``-o table``: a row for each record, with partition, offset, time and key, as they come."""

from __future__ import annotations

from collections.abc import Sequence

from pykafka_ops.analysis.moments import moment_text
from pykafka_ops.commands.consume.formatter import Consumed, Formats, Formatter
from pykafka_ops.commands.payload.formats import PayloadFormat
from pykafka_ops.commands.payload.texts import ROOM, cut, text_of

TITLES = ("TOPIC", "PARTITION", "OFFSET", "TIME", "KEY", "VALUE", "HEADERS")
_RIGHT = (1, 2)
_LEAST = (0, 0, 8, 24, 8, 0, 0)
"""Widths to begin with: nobody knows what comes."""


class TableFormatter(Formatter):
    """Columns that grow with what they hold; ``wide`` cuts nothing and shows headers."""

    def __init__(self, formats: Formats, *, topics: bool, wide: bool) -> None:
        """``topics``: there may be several."""
        self.formats = formats
        self.room = 1 << 30 if wide else ROOM
        hidden = {0} if not topics else set()
        hidden |= set() if wide else {6}
        self.shown = [n for n in range(len(TITLES)) if n not in hidden]
        self.widths = [max(len(t), w) for t, w in zip(TITLES, _LEAST, strict=True)]
        self.begun = False

    def format(self, message: Consumed) -> bytes:
        """The row of one record."""
        return self.batch([message])

    def batch(self, messages: Sequence[Consumed]) -> bytes:
        """The rows of all, below the titles the first time."""
        rows = [self._cells(message) for message in messages]
        self.widths = [
            max(width, *(len(row[n]) for row in rows)) for n, width in enumerate(self.widths)
        ]
        head = [] if self.begun else [list(TITLES)]
        self.begun = True
        return "".join([self._line(row) for row in (*head, *rows)]).encode("utf-8", "replace")

    def _cells(self, message: Consumed) -> list[str]:
        kind, time = message.timestamp()
        headers = [f"{k}={text_of(v)[0] or ''}" for k, v in message.headers() or ()]
        return [
            message.topic(),
            str(message.partition()),
            str(message.offset()),
            moment_text(time) if kind else "-",
            self._text(message.key(), self.formats[0]),
            self._text(message.value(), self.formats[1]),
            str(cut(",".join(headers), self.room)) or "-",
        ]

    def _text(self, data: bytes | None, made: PayloadFormat | None) -> str:
        if data is None:
            return "-"
        return str(cut(made.line(data) if made is not None else text_of(data)[0], self.room))

    def _line(self, row: Sequence[str]) -> str:
        cells = [
            row[n].rjust(self.widths[n]) if n in _RIGHT else row[n].ljust(self.widths[n])
            for n in self.shown
        ]
        return "  ".join(cells).rstrip() + "\n"
