"""``pko groups lag``: how far behind groups are, how fast they read, how they are doing."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from pykafka_ops.analysis.commits.burrow import OK, UNKNOWN
from pykafka_ops.analysis.conditions import Condition, ConditionField
from pykafka_ops.analysis.lag.rows import (
    STATUSES,
    GroupLag,
    LagRow,
    by_group,
    lag_row,
    understated,
)
from pykafka_ops.commands.framework.output import Column, Table, numbers
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.watch import fail_on, met, watched
from pykafka_ops.commands.groups import select
from pykafka_ops.commands.groups.described import STANDING
from pykafka_ops.commands.groups.lag_facts import Collector


def bad_status(status: object) -> bool:
    """Whether a verdict deserves red."""
    return status not in (OK, UNKNOWN)


_RATES = (
    Column("lag_seconds", "BEHIND-S", right=True),
    Column("rate_in", "IN/S", right=True),
    Column("rate_out", "OUT/S", right=True),
    Column("catch_up_seconds", "CATCH-UP-S", right=True),
    Column("lead", right=True, spare=True),
    Column("status", bad=bad_status),
)
GROUPS = (
    Column("group"),
    Column("state", spare=True),
    Column("partitions", right=True, spare=True),
    Column("unknown_partitions", "UNKNOWN", right=True, wide=True, bad=bool),
    *numbers("lag", "max_lag"),
    *_RATES,
)
PARTITIONS = (
    *STANDING,
    *_RATES,
    Column("since", right=True, wide=True),
    Column("client_id", optional=True),
)

_FIELDS = {
    **dict.fromkeys(("group", "state", "topic"), ConditionField("text")),
    "client_id": ConditionField("text", spare=True),
    "since": ConditionField("moment", spare=True),
    "status": ConditionField("text", STATUSES),
}
"""Of the rows; all others are numbers."""


def lag(run: Run) -> Table | int:
    """One table for all groups asked for, again and again with ``--watch``."""
    args = run.args
    kind = LagRow if args.has("partitions") else GroupLag
    fields = {f.name: _FIELDS.get(f.name, ConditionField()) for f in dataclasses.fields(kind)}
    failing = fail_on(run, fields, understated)
    collector = Collector(select.cluster(run), args.span("window") or 0)
    return watched(run, lambda: _table(run, collector, failing))


def _table(run: Run, collector: Collector, failing: Condition | None) -> Table:
    named = run.args.has("group")
    names = run.args.texts("group") if named else sorted(select.every(run))
    found = [lag_row(f, collector.now) for f in collector.collect(names)]
    columns: Sequence[Column] = PARTITIONS
    rows = _plain(LagRow, found)
    if not run.args.has("partitions"):
        columns, rows = GROUPS, _plain(GroupLag, by_group(found))
    keys = [c.key for c in columns[:3] if c.key in ("group", "topic", "partition")]
    notes = met(failing, rows, keys)
    code = 4 if notes else None
    kind = "partition-lag" if run.args.has("partitions") else "group-lag"
    return Table(kind, columns, rows, errors=collector.errors, notes=notes, exit_code=code)


def _plain(kind: type, rows: Sequence[object]) -> list[dict[str, object]]:
    """The fields of each row, which are plain: ``asdict`` would copy them deeply."""
    names = [f.name for f in dataclasses.fields(kind)]
    return [{name: getattr(row, name) for name in names} for row in rows]
