"""Rows of ``dump-log``'s verbs to stdout: JSON lines and CSV as they come, tables at the end."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from pykafka_ops.commands.framework.output import Column, Table, csv_line, write

Row = dict[str, object]

_MANY = 1000


class RowOutput:
    """Base: collects rows and writes a table, YAML or names when all are there."""

    def __init__(self, form: str, kind: str, columns: Sequence[Column], name: str) -> None:
        self.form, self.kind, self.columns, self.name = form, kind, columns, name
        self.rows: list[Row] = []

    def add(self, row: Row) -> None:
        """One more row."""
        self.rows.append(row)

    def flush(self) -> None:
        """Write what can be written now."""

    def close(self) -> None:
        """Write the rest."""
        if self.form == "name":
            self.rows = list({str(row[self.name]): row for row in self.rows}.values())
        table = Table(self.kind, self.columns, self.rows, name=self.name)
        write(table, self.form, flags=False)
        sys.stdout.flush()


class _Lines(RowOutput):
    """Base of what is written line by line."""

    def add(self, row: Row) -> None:
        """One more row."""
        self.rows.append(row)
        if len(self.rows) >= _MANY:
            self.flush()

    def flush(self) -> None:
        """Write what is there."""
        if self.rows:
            sys.stdout.write("".join([f"{self.line(row)}\n" for row in self.rows]))
            self.rows.clear()
        sys.stdout.flush()

    def close(self) -> None:
        """Write the rest."""
        self.flush()

    def line(self, row: Row) -> str:
        """A row as its line."""
        raise NotImplementedError


class JsonLines(_Lines):
    """One object a line."""

    def __init__(self, form: str, kind: str, columns: Sequence[Column], name: str) -> None:
        super().__init__(form, kind, columns, name)
        import json

        self.encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

    def line(self, row: Row) -> str:
        """One object; what is no text (lone surrogates) is replaced, since stdout is UTF-8."""
        return self.encode(row).encode("utf-8", "replace").decode()


class _Csv(_Lines):
    """RFC 4180, the header first."""

    def __init__(self, form: str, kind: str, columns: Sequence[Column], name: str) -> None:
        super().__init__(form, kind, columns, name)
        sys.stdout.write(csv_line([c.key for c in columns]))

    def line(self, row: Row) -> str:
        """One line."""
        return csv_line([row.get(c.key) for c in self.columns]).removesuffix("\n")


def row_output(form: str, kind: str, columns: Sequence[Column], *, name: str) -> RowOutput:
    """The output of ``-o form``; ``name`` is the column of ``-o name``."""
    made = {"json": JsonLines, "csv": _Csv}.get(form, RowOutput)
    return made(form, kind, columns, name)
