"""``pko groups lag``: how far behind groups are, how fast they read, how they are doing."""

from __future__ import annotations

import dataclasses
import sys
import time
from collections.abc import Sequence

from pykafka_ops.analysis.burrow import OK, UNKNOWN
from pykafka_ops.analysis.conditions import Condition, ConditionError, parse_condition
from pykafka_ops.analysis.lag import GroupLag, LagRow, by_group, lag_row
from pykafka_ops.analysis.moments import length
from pykafka_ops.commands.framework.output import Column, Table, write
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.groups import select
from pykafka_ops.commands.groups.lag_facts import Collector
from pykafka_ops.errors import UsageError

CLEAR = "\x1b[H\x1b[2J"


def bad_status(status: object) -> bool:
    """Whether a verdict deserves red."""
    return status not in (OK, UNKNOWN)


_RATES = (
    Column("lag_seconds", "BEHIND-S", right=True),
    Column("rate_in", "IN/S", right=True),
    Column("rate_out", "OUT/S", right=True),
    Column("catch_up_seconds", "CATCH-UP-S", right=True),
    Column("lead", right=True),
    Column("status", bad=bad_status),
)
GROUPS = (
    Column("group"),
    Column("state"),
    Column("partitions", right=True),
    Column("lag", right=True),
    Column("max_lag", right=True),
    *_RATES,
)
PARTITIONS = (
    Column("group"),
    Column("topic"),
    Column("partition", right=True),
    Column("current_offset", "CURRENT", right=True),
    Column("log_end_offset", "END", right=True),
    Column("lag", right=True),
    *_RATES,
    Column("since", right=True, wide=True),
    Column("client_id", optional=True),
)


def lag(run: Run) -> Table | int:
    """One table for all groups asked for, again and again with ``--watch``."""
    args = run.args
    kind = LagRow if args.has("partitions") else GroupLag
    fields = [f.name for f in dataclasses.fields(kind)]
    failing = _condition(args.text("fail-on"), fields)
    window = length(args.text("window") or "10m")
    every = length(args.text("watch") or "5s") if args.has("watch") else None
    collector = Collector(select.cluster(run), window)
    if every is None:
        return _table(run, collector, failing)
    return _watch(run, collector, failing, every)


def _condition(text: str | None, fields: Sequence[str]) -> Condition | None:
    if text is None:
        return None
    try:
        return parse_condition(text, fields)
    except ConditionError as error:
        raise UsageError(f"--fail-on: {error}") from None


def _table(run: Run, collector: Collector, failing: Condition | None) -> Table:
    named = run.args.has("group")
    names = run.args.texts("group") if named else sorted(select.every(run))
    found = [lag_row(f, collector.now) for f in collector.collect(names)]
    columns: Sequence[Column] = PARTITIONS
    rows = _plain(LagRow, found)
    if not run.args.has("partitions"):
        columns, rows = GROUPS, _plain(GroupLag, by_group(found))
    code = 4 if failing is not None and any(failing(r) for r in rows) else None
    if collector.errors:
        code = 1
    kind = "partition-lag" if run.args.has("partitions") else "group-lag"
    return Table(kind, columns, rows, errors=collector.errors, exit_code=code)


def _plain(kind: type, rows: Sequence[object]) -> list[dict[str, object]]:
    """The fields of each row, which are plain: ``asdict`` would copy them deeply."""
    names = [f.name for f in dataclasses.fields(kind)]
    return [{name: getattr(row, name) for name in names} for row in rows]


def _watch(run: Run, collector: Collector, failing: Condition | None, every: int) -> int:
    """Until Ctrl-C; ends with exit code 4 as soon as the condition holds."""
    try:
        while True:
            table = _table(run, collector, failing)
            if sys.stdout.isatty() and run.output in ("table", "wide"):
                sys.stdout.write(f"{CLEAR}{time.strftime('%H:%M:%S')}\n")
            write(table, run.output, flags=False)
            sys.stdout.flush()
            if table.code == 4:
                return 4
            time.sleep(every / 1000)
    except KeyboardInterrupt:
        return 0
