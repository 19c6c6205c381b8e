"""Rows out: one ``Table`` of plain values, six formats, the same data in each.

stdout carries data only; what is said to the user goes to stderr. JSON and YAML are a contract:
``{"kind": ..., "version": 1, "items": [...], "errors": [...]}``, every key always present.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TextIO

from pykafka_ops.analysis.counted import counted as counted
from pykafka_ops.errors import ConnectError, KafkaError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.commands.framework.grid import Grid, Piece

    Drawn = tuple[Grid, list["Column"], Sequence[Sequence[str]]]

Row = Mapping[str, object]
Cells = dict[str, object]

_UNPRINTED = dict.fromkeys((*range(32), *range(127, 160)), "�")
"""No control sequence of a name reaches a terminal, and a row stays a line."""
BOLD, RED, PLAIN = "\x1b[1m", "\x1b[31m", "\x1b[0m"


class Column(NamedTuple):
    """A column: ``wide`` shows it with ``-o wide`` only, ``optional`` hides it while it is empty,
    ``spare`` leaves it out on a terminal too narrow for all.

    ``right`` aligns to the right (numbers). ``bad`` says whether a value deserves red on a
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


UNREACHABLE = "UNREACHABLE"
"""The error of an item whose broker does not answer."""


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
            name, text = known.name, error.ours or error.message or known.text
        except ValueError:
            name, text = f"ERROR_{error.code}", error.message or f"error code {error.code}"
        return cls(item, name, text, error.code)

    @property
    def is_outside(self) -> bool:
        """Whether it is that no broker can be reached, or that it does not allow it."""
        return self.error == UNREACHABLE or self.error.endswith("_AUTHORIZATION_FAILED")

    def as_dict(self) -> dict[str, object]:
        """As JSON shows it."""
        return {"item": self.item, "error": self.error, "message": self.message}


class Table:
    """The answer of a command.

    ``rows`` are flat, for table, CSV and names. ``items`` are the richer objects of JSON and YAML
    (the rows where not given). ``kafka`` is the text of Kafka's own tool in chunks, line ends
    included, used for ``-o table`` in Kafka's form; ``script`` is text that stands for table and
    CSV in ours, for a file that another verb takes. ``name`` is the column of ``-o name``.
    ``errors`` make the exit code 1; ``exit_code`` overrides that. ``above`` is a second grid for
    people, shown first.
    """

    __slots__ = ("above", "columns", "errors", "exit_code", "items", "kafka", "kind", "name",
                 "notes", "rows", "script")  # fmt: skip

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
        script: Iterable[str] | None = None,
    ) -> None:
        self.kind, self.columns, self.rows = kind, tuple(columns), rows
        self.items, self.kafka, self.errors = items, kafka, tuple(errors)
        self.script = script
        self.name = name or (self.columns[0].key if self.columns else "")
        self.notes, self.exit_code, self.above = tuple(notes), exit_code, above

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing at all to show."""
        second = self.above is not None and self.above.rows
        return not (self.rows or self.errors or self.notes or second or self.script)

    @property
    def code(self) -> int:
        """The exit code that this answer means."""
        if self.exit_code is not None:
            return self.exit_code
        if not self.rows and refused_outside(self.errors):
            return ConnectError.exit_code
        return 1 if self.errors else 0


def refused_outside(errors: Sequence[ItemError]) -> bool:
    """Whether there are errors, all of them of what a cluster has refused or cannot be asked."""
    return bool(errors) and all(error.is_outside for error in errors)


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
    elif form == "name":
        seen = dict.fromkeys(str(r[table.name]) for r in table.rows)
        out.writelines(f"{n}\n" for n in seen)
    elif not flags and table.script is not None:
        out.writelines(table.script)
    elif form == "csv":
        _csv(table, out)
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
    """Whether an optional column is empty here (0 is a value, unless it is good)."""
    if column.bad is not None:
        return not column.bad(value)
    return value is None or value is False or value in ("", [], (), {})


def _grid(table: Table, out: TextIO, *, wide: bool) -> None:
    """Aligned columns; on a terminal in colour, and in as many columns as it has."""
    columns = _shown(table, wide)
    if not table.rows or not columns:
        return
    space, paint = None, False
    if out.isatty():
        from pykafka_ops.commands.framework.terminal import colours, room

        space, paint = room(), colours()
    grid, columns, cells = _best(table, columns, space, wide=wide)
    for line in grid.head():
        out.write(_line([piece.text for piece in line], BOLD if paint else ""))
    for number, (row, texts) in enumerate(zip(table.rows, cells, strict=True)):
        if number and not grid.upright:
            out.write("\n")
        for line in grid.row(texts):
            out.write(_line([_painted(p, columns, row) if paint else p.text for p in line]))


def _best(table: Table, columns: list[Column], space: int | None, *, wide: bool) -> Drawn:
    """The grid, its columns and cells: without as many spare columns as makes it readable."""
    from pykafka_ops.commands.framework.grid import fitted

    cells = [[cell(r.get(c.key)).translate(_UNPRINTED) for c in columns] for r in table.rows]
    spare = [i for i, c in enumerate(columns) if c.spare and not wide]
    titles, right = [c.title for c in columns], [c.right for c in columns]
    grid, shown = fitted(titles, right, cells, space, spare)
    return grid, [columns[i] for i in shown], grid.rows


def _painted(piece: Piece, columns: Sequence[Column], row: Row) -> str:
    """Headings bold, red what deserves it."""
    if piece.column < 0:
        return f"{BOLD}{piece.text}{PLAIN}"
    column = columns[piece.column]
    red = column.bad is not None and column.bad(row.get(column.key))
    return f"{RED}{piece.text}{PLAIN}" if red else piece.text


def _line(pieces: Sequence[str], style: str = "") -> str:
    text = "".join(pieces).rstrip()
    return f"{style}{text}{PLAIN}\n" if style else f"{text}\n"


def say(text: str) -> None:
    """Talk: one line on stderr."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def quiet_pipe() -> None:
    """After a broken pipe: let the interpreter's last flush go nowhere."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)
