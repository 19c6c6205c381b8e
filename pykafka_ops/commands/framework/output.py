"""Rows out: one ``Table`` of plain values, six formats, the same data in each.

stdout carries data only; what is said to the user goes to stderr. JSON and YAML are a contract:
``{"kind": ..., "version": 1, "items": [...], "errors": [...]}``, every key always present.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TextIO

from pykafka_ops.errors import KafkaError

Row = Mapping[str, object]
Cells = dict[str, object]

BOLD, RED, PLAIN = "\x1b[1m", "\x1b[31m", "\x1b[0m"


class Column(NamedTuple):
    """A column: ``wide`` shows it with ``-o wide`` only, ``optional`` hides it while it is empty,
    ``spare`` leaves it out on a terminal too narrow for all.

    ``right`` aligns to the right (numbers). ``bad`` tells whether a value deserves red on a
    terminal; an optional column that has it is shown while some value is bad. CSV has all columns.
    """

    key: str
    heading: str = ""
    wide: bool = False
    optional: bool = False
    spare: bool = False
    right: bool = False
    bad: Callable[[object], bool] | None = None

    @property
    def title(self) -> str:
        """The heading, else the key."""
        return self.heading or self.key.upper().replace("_", "-")


def numbers(*keys: str) -> tuple[Column, ...]:
    """Columns of numbers."""
    return tuple(Column(key, right=True) for key in keys)


PLACE = (Column("topic"), *numbers("partition"))


def rows_of(columns: Sequence[Column], values: Iterable[Sequence[object]]) -> list[Cells]:
    """Rows of values that stand in the order of ``columns``."""
    keys = [column.key for column in columns]
    return [dict(zip(keys, row, strict=True)) for row in values]


def with_sizes(row: Row) -> Cells:
    """A row with its bytes as people read them."""
    from pykafka_ops.analysis.bars import size_text

    return {
        k: size_text(v) if k.endswith("bytes") and isinstance(v, int) else v for k, v in row.items()
    }


class ItemError(NamedTuple):
    """One item that failed: what, Kafka's error name, the text, the number of the error."""

    item: str
    error: str
    message: str
    code: int = -1

    @classmethod
    def of(cls, item: str, error: KafkaError) -> ItemError:
        """From a KafkaError, with the name and default text of its code."""
        from pykafka_ops.wire.codes import ErrorCode

        try:
            known = ErrorCode(error.code)
            name, text = known.name, error.message or known.text
        except ValueError:
            name, text = f"ERROR_{error.code}", error.message or f"error code {error.code}"
        return cls(item, name, text, error.code)

    def as_dict(self) -> dict[str, object]:
        """As JSON shows it."""
        return {"item": self.item, "error": self.error, "message": self.message}


class Table:
    """The answer of a command.

    ``rows`` are flat, for table, CSV and names. ``items`` are the richer objects of JSON and YAML
    (the rows where not given). ``kafka`` is the text of Kafka's own tool in chunks, line ends
    included, used for ``-o table`` in the flag tongue. ``name`` is the column of ``-o name``.
    ``errors`` make the exit code 1; ``exit_code`` overrides that. ``above`` is a second grid for
    people, shown first.
    """

    __slots__ = ("above", "columns", "errors", "exit_code", "items", "kafka", "kind", "name",
                 "notes", "rows")  # fmt: skip

    def __init__(
        self,
        kind: str,
        columns: Sequence[Column],
        rows: Sequence[Row],
        *,
        items: Sequence[object] | None = None,
        kafka: Iterable[str] | None = None,
        name: str = "",
        errors: Sequence[ItemError] = (),
        notes: Sequence[str] = (),
        exit_code: int | None = None,
        above: Table | None = None,
    ) -> None:
        self.kind, self.columns, self.rows = kind, tuple(columns), rows
        self.items, self.kafka, self.errors = items, kafka, tuple(errors)
        self.name = name or (self.columns[0].key if self.columns else "")
        self.notes, self.exit_code, self.above = tuple(notes), exit_code, above

    @property
    def code(self) -> int:
        """The exit code that this answer means."""
        if self.exit_code is not None:
            return self.exit_code
        return 1 if self.errors else 0


def document(table: Table) -> dict[str, object]:
    """What JSON and YAML hold."""
    items = table.items if table.items is not None else table.rows
    return {
        "kind": table.kind,
        "version": 1,
        "items": list(items),
        "errors": [e.as_dict() for e in table.errors],
    }


def write(table: Table, form: str, *, flags: bool, out: TextIO | None = None) -> None:
    """Write ``table`` to stdout in the format asked for."""
    out = out or sys.stdout
    if form == "json":
        import json

        indent = 2 if out.isatty() else None
        out.write(json.dumps(document(table), ensure_ascii=False, indent=indent) + "\n")
    elif form == "yaml":
        import yaml

        yaml.safe_dump(document(table), out, sort_keys=False, allow_unicode=True)
    elif form == "csv":
        _csv(table, out)
    elif form == "name":
        seen = dict.fromkeys(str(r[table.name]) for r in table.rows)
        out.writelines(f"{n}\n" for n in seen)
    elif flags and table.kafka is not None and form == "table":
        out.writelines(table.kafka)
    else:
        if table.above is not None and table.above.rows:
            _grid(table.above, out, wide=form == "wide")
            out.write("\n")
        _grid(table, out, wide=form == "wide")


def _csv(table: Table, out: TextIO) -> None:
    """RFC 4180, lines end with a newline alone."""
    out.write(csv_line([c.key for c in table.columns]))
    for row in table.rows:
        out.write(csv_line([row.get(c.key) for c in table.columns]))


def csv_line(values: Sequence[object]) -> str:
    """One line of CSV, its end included."""
    return ",".join([_quoted(_flat(value)) for value in values]) + "\n"


def _quoted(text: str) -> str:
    if any(c in text for c in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def _flat(value: object) -> str:
    """A value in one CSV cell: lists by ``;``, null empty, booleans as in JSON."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ";".join(_flat(v) for v in value)
    if isinstance(value, dict):
        return ";".join(f"{k}={_flat(v)}" for k, v in value.items())
    return str(value)


def cell(value: object) -> str:
    """A value for people: ``-`` where there is none, lists by comma."""
    if value is None or value == "" or value == [] or value == ():
        return "-"
    if isinstance(value, (list, tuple)):
        return ",".join(str(v) for v in value)
    if isinstance(value, dict):
        return ",".join(f"{k}={v}" for k, v in value.items()) or "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _shown(table: Table, wide: bool) -> list[Column]:
    return [
        c
        for c in table.columns
        if (wide or not c.wide)
        and not (c.optional and all(_nothing(c, r.get(c.key)) for r in table.rows))
    ]


def _nothing(column: Column, value: object) -> bool:
    """Whether an optional column has nothing to tell here (0 is something, unless it is good)."""
    if column.bad is not None:
        return not column.bad(value)
    return value is None or value is False or value in ("", [], (), {})


def _grid(table: Table, out: TextIO, *, wide: bool) -> None:
    """Aligned columns; on a terminal in colour, folded by rich where they do not fit."""
    columns = _shown(table, wide)
    if not table.rows or not columns:
        return
    widths = [_width(table, column) for column in columns]
    paint = False
    if out.isatty():
        from pykafka_ops.commands.framework.terminal import colours, room

        while sum(widths) + 2 * (len(widths) - 1) > room():
            spare = [i for i, c in enumerate(columns) if c.spare and not wide]
            if not spare:
                _folded(table, columns, out)
                return
            del columns[spare[-1]], widths[spare[-1]]
        paint = colours()
    cells = [[cell(r.get(c.key)) for c in columns] for r in table.rows]
    head = [_padded(c, c.title, w) for c, w in zip(columns, widths, strict=True)]
    out.write(_line(head, BOLD if paint else ""))
    for row, line in zip(table.rows, cells, strict=True):
        shown = []
        for column, text, width in zip(columns, line, widths, strict=True):
            padded = _padded(column, text, width)
            red = paint and column.bad is not None and column.bad(row.get(column.key))
            shown.append(f"{RED}{padded}{PLAIN}" if red else padded)
        out.write(_line(shown))


def _folded(table: Table, columns: Sequence[Column], out: TextIO) -> None:
    """Draw ``table`` with rich, which folds cells; slow to load, so only where that is needed."""
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    from pykafka_ops.commands.framework.terminal import room

    titles = sum(len(column.title) for column in columns) + 2 * (len(columns) - 1)
    grid = RichTable(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        grid.add_column(
            column.title,
            justify="right" if column.right else "left",
            overflow="fold",
            min_width=len(column.title) if titles <= room() else None,
        )
    for row in table.rows:
        cells = []
        for column in columns:
            value = row.get(column.key)
            bad = column.bad is not None and column.bad(value)
            cells.append(Text(cell(value), style="red" if bad else ""))
        grid.add_row(*cells)
    Console(file=out, highlight=False).print(grid)


def _width(table: Table, column: Column) -> int:
    return max(len(column.title), *(len(cell(row.get(column.key))) for row in table.rows))


def _padded(column: Column, text: str, width: int) -> str:
    return text.rjust(width) if column.right else text.ljust(width)


def _line(cells: Sequence[str], style: str = "") -> str:
    text = "  ".join(cells).rstrip()
    return f"{style}{text}{PLAIN}\n" if style else f"{text}\n"


def counted(items: Sequence[object], noun: str) -> str:
    """``1 topic``, ``3 topics``."""
    return f"{len(items)} {noun}{'' if len(items) == 1 else 's'}"


def say(text: str) -> None:
    """Talk: one line on stderr."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def quiet_pipe() -> None:
    """After a broken pipe: let the interpreter's last flush go nowhere."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)
