"""A plan or an assignment as rows: brokers before and after, partitions that change."""

from __future__ import annotations

from collections.abc import Sequence

from pykafka_ops.analysis.bars import bar, size_text
from pykafka_ops.analysis.conditions import ConditionField
from pykafka_ops.analysis.moves.model import MovePlan
from pykafka_ops.analysis.moves.plan import reassignment
from pykafka_ops.analysis.skew import skew_percent
from pykafka_ops.commands.framework.output import PLACE, Column, Table
from pykafka_ops.commands.reassign_partitions.assignment import Assignment
from pykafka_ops.commands.reassign_partitions.facts import ClusterFacts

Row = dict[str, object]
_WIDTH = 16
FIELDS = dict.fromkeys((
    "broker", "rack", "replicas", "leaders", "bytes", "skew_percent", "replicas_after",
    "leaders_after", "bytes_after", "skew_percent_after", "bytes_in", "bytes_out",
), ConditionField()) | {"rack": ConditionField("text", spare=True)}  # fmt: skip
"""Of the rows of brokers, which ``--fail-on`` judges."""
BROKERS = (
    Column("broker", right=True),
    Column("rack", optional=True),
    Column("replicas", right=True),
    Column("replicas_after", "AFTER", right=True),
    Column("leaders", right=True),
    Column("leaders_after", "AFTER", right=True),
    Column("bytes", right=True),
    Column("bytes_after", "AFTER", right=True),
    Column("bytes_in", "IN", right=True, spare=True),
    Column("bytes_out", "OUT", right=True, spare=True),
    Column("before", "BEFORE", spare=True),
    Column("after", "AFTER", spare=True),
)
PARTITIONS = (
    Column("topic"),
    Column("partition", right=True),
    Column("before"),
    Column("after"),
    Column("bytes", right=True),
)


def broker_rows(made: MovePlan, facts: ClusterFacts) -> list[Row]:
    """A row per broker, by id; the live ones' mean is what skew is measured from."""
    coming = dict.fromkeys(made.shares_before, 0)
    going = dict(coming)
    for move in made.moves:
        if move.target is not None:
            coming[move.target] += move.size
        if move.source is not None:
            going[move.source] += move.size
    live = [id_ for id_ in made.shares_before if id_ in facts.brokers]
    means = [
        sum(shares[i].bytes for i in live) / max(1, len(live))
        for shares in (made.shares_before, made.shares_after)
    ]
    rows: list[Row] = []
    for id_, old in made.shares_before.items():
        new = made.shares_after[id_]
        broker = facts.brokers.get(id_)
        rows.append(
            {
                "broker": id_,
                "rack": broker.rack if broker else None,
                "replicas": old.replicas,
                "leaders": old.leaders,
                "bytes": old.bytes,
                "skew_percent": skew_percent(old.bytes, means[0]),
                "replicas_after": new.replicas,
                "leaders_after": new.leaders,
                "bytes_after": new.bytes,
                "skew_percent_after": skew_percent(new.bytes, means[1]),
                "bytes_in": coming[id_],
                "bytes_out": going[id_],
            }
        )
    return rows


def with_bars(rows: Sequence[Row], *, plain: bool) -> list[Row]:
    """For people: sizes in words, bytes as bars of one scale."""
    most = max((int(str(row[k])) for row in rows for k in ("bytes", "bytes_after")), default=0)
    made: list[Row] = []
    for row in rows:
        shown = dict(row)
        for key in ("bytes", "bytes_after", "bytes_in", "bytes_out"):
            shown[key] = size_text(int(str(row[key])))
        shown["before"] = bar(int(str(row["bytes"])), most, _WIDTH, plain=plain)
        shown["after"] = bar(int(str(row["bytes_after"])), most, _WIDTH, plain=plain)
        made.append(shown)
    return made


def partition_rows(made: MovePlan, facts: ClusterFacts) -> list[Row]:
    """A row per partition that changes."""
    return [
        {
            "topic": key[0],
            "partition": key[1],
            "before": list(made.before[key]),
            "after": list(made.after[key]),
            "bytes": facts.sizes[key] * len(set(made.after[key]) - set(made.before[key])),
        }
        for key in sorted(made.after)
    ]


TARGET, PROPOSED = (
    (*PLACE, Column("replicas"), Column(column)) for column in ("target", "proposed")
)


def replicas_table(name: str, current: Assignment, column: str, other: Assignment) -> Table:
    """A row per partition of ``other``: its replicas now, and those there as ``column``."""
    rows: list[Row] = [
        {"topic": t, "partition": n, "replicas": current[t, n], column: other[t, n]}
        for t, n in sorted(other)
    ]
    columns = TARGET if column == TARGET[-1].key else PROPOSED
    return Table(name, columns, rows)


def document(made: MovePlan, brokers: Sequence[Row], partitions: Sequence[Row]) -> Row:
    """The plan as one object of JSON."""
    return {
        "brokers": list(brokers),
        "partitions": list(partitions),
        "copied_bytes": made.moved,
        "least_bytes": made.least,
        "unmet": list(made.unmet),
        "reassignment": reassignment(made.after),
        "rollback": reassignment(made.before),
    }
