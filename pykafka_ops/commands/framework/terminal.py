"""Output for terminals only: width, colours, progress bars, the question before a change."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from pykafka_ops.errors import UsageError


def room(fd: int = 1) -> int:
    """Columns of the terminal, or what COLUMNS says."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    try:
        return os.get_terminal_size(fd).columns or 80
    except OSError:
        return 80


def colours() -> bool:
    """Whether colours are wanted (https://no-color.org)."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def ask(question: str, items: Sequence[str], *, yes: bool) -> bool:
    """Whether to go on: ``yes`` says so; a terminal is asked; anything else is a usage error."""
    if yes:
        return True
    if not sys.stdin.isatty():
        raise UsageError(f"{question}: add --yes, since there is no terminal to ask on")
    return click.confirm(f"{question}: {_shown(items)}\nGo on?", err=True)


def ask_typed(
    question: str, items: Sequence[str], word: str, given: str | None, option: str
) -> bool:
    """Whether ``word`` is typed, for what reaches further than it seems; ``given``: it was said
    with ``option`` already. UsageError for another word there, and without a terminal."""
    if given is not None:
        if given != word:
            raise UsageError(f"{option} {given}: this is about {word}")
        return True
    if not sys.stdin.isatty():
        raise UsageError(f"{question}: add {option} {word}, since there is no terminal to ask on")
    text = click.prompt(f"{question}: {_shown(items)}\nType {word} to go on", err=True)
    return bool(text == word)


def _shown(items: Sequence[str]) -> str:
    return ", ".join(items[:10]) + (f" and {len(items) - 10} more" if len(items) > 10 else "")


def bar_width(others: int) -> int:
    """Columns of a terminal that are left beside ``others``, 9 to 60."""
    return min(max(room() - others, 9), 60)


def bars_are_blocks() -> bool:
    """Whether the terminal can show block characters."""
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
