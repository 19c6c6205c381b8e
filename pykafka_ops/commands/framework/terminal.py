"""What only a terminal gets: its width, colours, folded tables, and the question before harm."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TextIO

import click

from pykafka_ops.commands.framework.output import Column, Table, cell
from pykafka_ops.errors import UsageError


def room(fd: int = 1) -> int:
    """Columns of the terminal, or what COLUMNS says."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and int(told):
        return int(told)
    try:
        return os.get_terminal_size(fd).columns or 80
    except OSError:
        return 80


def colours() -> bool:
    """Whether colours are wanted (https://no-color.org)."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def rich_table(table: Table, columns: Sequence[Column], out: TextIO) -> None:
    """Draw ``table`` with rich, which folds cells; slow to load, so only where that is needed."""
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

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


def ask(question: str, items: Sequence[str], *, yes: bool) -> bool:
    """Whether to go on: ``yes`` says so; a terminal is asked; anything else is a usage error."""
    if yes:
        return True
    if not sys.stdin.isatty():
        raise UsageError(f"{question}: add --yes, since there is no terminal to ask on")
    shown = ", ".join(items[:10]) + (f" and {len(items) - 10} more" if len(items) > 10 else "")
    return click.confirm(f"{question}: {shown}\nGo on?", err=True)
