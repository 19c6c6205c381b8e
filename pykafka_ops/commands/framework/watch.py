"""Tables that ``--watch`` shows again and again, and conditions for exit code 4."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence

from pykafka_ops.analysis.conditions import (
    Condition,
    ConditionError,
    ConditionField,
    Unknown,
    parse_condition,
)
from pykafka_ops.commands.framework.output import UNREACHABLE, Row, Table, cell
from pykafka_ops.commands.framework.run import Run, show
from pykafka_ops.errors import UsageError

CLEAR = "\x1b[H\x1b[2J"
_NAMED = 20
"""Rows that are named one by one."""


def fail_on(
    run: Run, fields: Mapping[str, ConditionField], unknown: Unknown | None = None
) -> Condition | None:
    """The condition of ``--fail-on`` over rows with these fields; UsageError if it is none."""
    text = run.args.text("fail-on")
    if text is None:
        return None
    try:
        return parse_condition(text, fields, unknown)
    except ConditionError as error:
        raise UsageError(f"--fail-on: {error}") from None


def met(failing: Condition | None, rows: Sequence[Row], keys: Sequence[str]) -> list[str]:
    """A line for each row that meets ``--fail-on``: which one by its ``keys``, and what was asked
    of it."""
    if failing is None:
        return []
    found = []
    for row in rows:
        if failing(row):
            parts = (keys, [f for f in failing.fields if f not in keys])
            said = (", ".join(f"{k} {cell(row.get(k))}" for k in part) for part in parts if part)
            found.append(f"pko: --fail-on: {': '.join(said)}")
    more = len(found) - _NAMED
    return [*found[:_NAMED], f"pko: --fail-on: {more} rows more"] if more > 0 else found


def watched(run: Run, make: Callable[[], Table]) -> Table | int:
    """What ``make`` returns; with ``--watch`` again and again, until Ctrl-C or exit code 4.

    Where nothing that was asked for is there to begin with, that is the answer; a cluster that
    does not answer may come back.
    """
    every = run.args.span("watch")
    if every is None:
        return make()
    try:
        table = make()
        if not table.rows and any(e.error != UNREACHABLE for e in table.errors):
            return table
        while True:
            if sys.stdout.isatty() and run.output in ("table", "wide"):
                sys.stdout.write(f"{CLEAR}{time.strftime('%H:%M:%S')}\n")
            show(table, run, run.output)
            sys.stdout.flush()
            if table.code == 4:
                return 4
            time.sleep(every / 1000)
            table = make()
    except KeyboardInterrupt:
        return 0
