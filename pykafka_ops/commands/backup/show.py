"""``pko backup list`` and ``describe``."""

from __future__ import annotations

from pykafka_ops.analysis.moments import moment_text
from pykafka_ops.backup.chain import StoredPartition, total_of
from pykafka_ops.backup.manifest import SEGMENTS, KeptTopic
from pykafka_ops.backup.runs import read_chain
from pykafka_ops.commands.backup.place import chain_at, opened, topics_meant
from pykafka_ops.commands.framework.output import Cells, Column, Table, numbers
from pykafka_ops.commands.framework.run import Run

_RUNS = (
    *numbers("run"),
    Column("taken"),
    Column("complete"),
    *numbers("topics", "groups", "rules"),
    Column("new_bytes", "BYTES", right=True),
    Column("troubles", right=True, bad=bool),
)
_TOPICS = (
    Column("topic"),
    *numbers("partitions", "records"),
    Column("stored_bytes", "BYTES", right=True),
    Column("first_ms", "FROM"),
    Column("last_ms", "TO"),
    Column("missing_offsets", "MISSING", right=True, bad=bool),
    Column("configs", "SETTINGS", wide=True),
    Column("id", wide=True),
)


def list_runs(run: Run) -> Table:
    """Its runs, oldest first."""
    rows = [
        {
            "run": one.number,
            "taken": moment_text(one.ended_ms),
            "complete": one.complete,
            "topics": len(one.topics),
            "groups": len(one.groups),
            "rules": len(one.rules),
            "new_bytes": sum(s.size for p in one.partitions for s in p.segments),
            "troubles": len(one.notes) + sum(1 for p in one.partitions if p.trouble is not None),
        }
        for one in read_chain(opened(run)).runs
    ]
    return Table("backup-runs", _RUNS, rows)


def describe(run: Run) -> Table:
    """The topics of a run, with what is stored of them."""
    chain = chain_at(run, opened(run))
    names, errors = topics_meant(run, chain)
    newest = chain.newest
    assert newest is not None
    notes = [f"run {newest.number}, {moment_text(newest.ended_ms)}, cluster {newest.cluster_id}"]
    if newest.format != SEGMENTS:
        notes.append(f"records are kept as {newest.format}")
    if not newest.complete:
        notes.append("that run was cut off: groups may be ahead of what is stored")
    stored = chain.by_topic()
    rows = [_row(chain.topics[name], stored.get(name, [])) for name in names]
    return Table("backup", _TOPICS, rows, errors=errors, notes=notes)


def _row(topic: KeptTopic, stored: list[StoredPartition]) -> Cells:
    segments = [s for p in stored for s in p.segments]
    last = max((s.max_ms for s in segments), default=-1)
    first = min((s.min_ms for s in segments if s.min_ms >= 0), default=-1)
    return {
        "topic": topic.name,
        "partitions": topic.partitions,
        "records": total_of(p.records for p in stored),
        "stored_bytes": sum(s.size for s in segments),
        "first_ms": moment_text(first) if first >= 0 else None,
        "last_ms": moment_text(last) if last >= 0 else None,
        "missing_offsets": sum(gap.end - gap.start for p in stored for gap in p.gaps),
        "configs": topic.configs,
        "id": topic.id,
    }
