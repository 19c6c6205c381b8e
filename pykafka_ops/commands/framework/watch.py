"""Tables that are shown again and again, and what makes them end with exit code 4."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Collection

from pykafka_ops.analysis.conditions import Condition, ConditionError, parse_condition
from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.run import Run, show
from pykafka_ops.errors import UsageError

CLEAR = "\x1b[H\x1b[2J"


def fail_on(run: Run, fields: Collection[str]) -> Condition | None:
    """The condition of ``--fail-on`` over rows with these fields; UsageError if it is none."""
    text = run.args.text("fail-on")
    if text is None:
        return None
    try:
        return parse_condition(text, fields)
    except ConditionError as error:
        raise UsageError(f"--fail-on: {error}") from None


def watched(run: Run, make: Callable[[], Table]) -> Table | int:
    """What ``make`` returns; with ``--watch`` again and again, until Ctrl-C or exit code 4."""
    every = run.args.span("watch")
    if every is None:
        return make()
    try:
        while True:
            table = make()
            if sys.stdout.isatty() and run.output in ("table", "wide"):
                sys.stdout.write(f"{CLEAR}{time.strftime('%H:%M:%S')}\n")
            show(table, run, run.output)
            sys.stdout.flush()
            if table.code == 4:
                return 4
            time.sleep(every / 1000)
    except KeyboardInterrupt:
        return 0
