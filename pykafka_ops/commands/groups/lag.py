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
from pykafka_ops.commands.framework.output import Column, Table, numbers, refused_outside
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.watch import fail_on, met, watched
from pykafka_ops.commands.groups import select
from pykafka_ops.commands.groups.described import STANDING
from pykafka_ops.commands.groups.lag_facts import Collector, UnseenGroup
from pykafka_ops.errors import ConnectError


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
    names, left_out = _names(run)
    found = [lag_row(f, collector.now) for f in collector.collect(names)]
    columns: Sequence[Column] = PARTITIONS
    kind: type = LagRow
    if run.args.has("partitions"):
        rows = _plain(LagRow, found)
    else:
        columns, kind = GROUPS, GroupLag
        rows = _plain(GroupLag, by_group(found))
    rows += [_unseen(kind, name, group) for name, group in sorted(collector.unseen.items())]
    if collector.unseen:
        rows.sort(key=lambda row: str(row["group"]))
    keys = [c.key for c in columns[:3] if c.key in ("group", "topic", "partition")]
    why = {name: group.why for name, group in collector.unseen.items() if group.why}
    said = [f"pko: group {name}: lag unknown: {text}" for name, text in sorted(why.items())]
    notes = met(failing, rows, keys)
    code = 4 if notes else None
    if code is None and not found and refused_outside(collector.errors):
        code = ConnectError.exit_code
    name = "partition-lag" if run.args.has("partitions") else "group-lag"
    return Table(
        name, columns, rows, errors=collector.errors, notes=[*left_out, *said, *notes],
        exit_code=code,
    )  # fmt: skip


def _names(run: Run) -> tuple[list[str], list[str]]:
    """The groups meant, and a note on those that read no partitions by their nature."""
    if run.args.has("group"):
        return run.args.texts("group"), []
    groups = select.listed(run)
    others = [g for g in groups if not select.reads(g)]
    notes = [f"pko: group {g.id} left out: {g.protocol_type} groups read no partitions"
             for g in others]  # fmt: skip
    return sorted(g.id for g in groups if select.reads(g)), notes


def _unseen(kind: type, name: str, group: UnseenGroup) -> dict[str, object]:
    """The row of a group of which no partition is known: all of it unknown."""
    row: dict[str, object] = {f.name: None for f in dataclasses.fields(kind)}
    row.update(group=name, state=group.state, status=UNKNOWN)
    return row


def _plain(kind: type, rows: Sequence[object]) -> list[dict[str, object]]:
    """The fields of each row, which are plain: ``asdict`` would copy them deeply."""
    names = [f.name for f in dataclasses.fields(kind)]
    return [{name: getattr(row, name) for name in names} for row in rows]
