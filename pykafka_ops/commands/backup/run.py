"""``pko backup run``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from pykafka_ops.analysis.counted import counted
from pykafka_ops.backup.capture import BackupScope
from pykafka_ops.backup.chain import total_of
from pykafka_ops.backup.manifest import PartitionEntry, RunEntry
from pykafka_ops.backup.runs import unlock
from pykafka_ops.backup.take import TakeOptions, take_backup
from pykafka_ops.client.topics import all_topics
from pykafka_ops.commands.backup.place import opened
from pykafka_ops.commands.framework.output import Cells, Column, ItemError, Table, numbers
from pykafka_ops.commands.framework.progress import ProgressBar
from pykafka_ops.commands.framework.run import Run as CommandRun
from pykafka_ops.commands.framework.topic_filter import missing_topics, pattern
from pykafka_ops.errors import UsageError

_COLUMNS = (
    Column("topic"),
    *numbers("partitions", "offsets"),
    Column("records", right=True),
    Column("stored_bytes", "BYTES", right=True),
    Column("state", bad=lambda value: value != "ok"),
)
_INTERNAL = re.compile(r"__.*|.*\.internal")


def run(run: CommandRun) -> Table:
    """One run; a row for each topic of which there was something new, or that had trouble."""
    store = opened(run)
    if run.args.has("unlock"):
        unlock(store)
    options = TakeOptions(
        segment_bytes=_size(run, "segment-bytes") or TakeOptions().segment_bytes,
        bytes_per_second=_size(run, "limit") or 0,
        full=run.args.has("full"),
        format=run.args.text("format"),
    )
    if missing := _not_there(run):
        return Table("backup-run", _COLUMNS, [], errors=missing)
    with ProgressBar(0, "read", unit="offsets") as bar:
        taken = take_backup(run.cluster(), store, _scope(run), options, bar.reach)
    return _table(taken, store.place)


def _size(run: CommandRun, name: str) -> int | None:
    size = run.args.size(name)
    if size is not None and size < 1024:
        raise UsageError(f"--{name} {run.args.text(name)}: write 1KiB or more")
    return size


def _scope(run: CommandRun) -> BackupScope:
    rest = not run.args.has("topics-only")
    regex = run.args.has("regex")
    topics, groups = run.args.given("topic"), run.args.given("group")
    is_topic = meant(topics, regex) if topics else lambda name: not _INTERNAL.fullmatch(name)
    is_group = meant(groups, regex) if groups else lambda name: rest
    return BackupScope(is_topic, is_group, rest)


def meant(words: Sequence[str], regex: bool) -> Callable[[str], bool]:
    """Whether a name is one of ``words``, or matches one of them."""
    if regex:
        patterns = [pattern(word) for word in words]
        return lambda name: any(p.fullmatch(name) for p in patterns)
    names = {name for word in words for name in word.split(",") if name}
    return names.__contains__


def _table(taken: Sequence[RunEntry], place: str) -> Table:
    last = taken[-1]
    by_topic: dict[str, list[PartitionEntry]] = {t.name: [] for t in last.topics}
    for part in taken:
        for entry in part.partitions:
            by_topic[entry.topic].append(entry)
    rows = [_row(name, entries) for name, entries in by_topic.items()]
    shown = [row for row in rows if row["offsets"] or row["state"] != "ok"]
    errors = [
        ItemError(f"{e.topic}-{e.partition}", "NOT_READ", e.trouble)
        for entries in by_topic.values()
        for e in entries
        if e.trouble is not None
    ]
    errors += [ItemError("backup", "INCOMPLETE", note) for note in last.notes]
    size = sum(s.size for part in taken for e in part.partitions for s in e.segments)
    note = (
        f"run {last.number} of {place}: {size:,} new bytes, "
        f"{kept_text(last.topics, last.groups, last.rules, last.quotas)}"
    )
    notes = [note]
    if last.users:
        notes.append(
            f"passwords of {counted(last.users, 'SCRAM user')} cannot be read from a cluster: "
            "after a restore they are to be set again (pko users)"
        )
    return Table("backup-run", _COLUMNS, shown, items=rows, errors=errors, notes=notes)


def _not_there(run: CommandRun) -> list[ItemError]:
    """An error for each topic that was named and is not there, or not to be seen."""
    words = run.args.names("topic")
    if run.args.has("regex") or not words:
        return []
    known = {topic.name for topic in all_topics(run.cluster())}
    names = sorted({*words} - known)
    return missing_topics(run.cluster(), names, known)


def _row(topic: str, entries: Sequence[PartitionEntry]) -> Cells:
    troubled = sum(1 for e in entries if e.trouble is not None)
    return {
        "topic": topic,
        "partitions": len({e.partition for e in entries}),
        "offsets": sum(e.end - e.start for e in entries),
        "records": total_of(e.records for e in entries),
        "stored_bytes": sum(s.size for e in entries for s in e.segments),
        "state": "ok" if not troubled else f"{troubled} partitions not read to their ends",
    }


def kept_text(
    topics: Sequence[object],
    groups: Sequence[object],
    rules: Sequence[object],
    quotas: Sequence[object],
) -> str:
    """``2 topics, 1 group, 0 access rules, 0 quotas``."""
    return ", ".join(
        (
            counted(topics, "topic"),
            counted(groups, "group"),
            counted(rules, "access rule"),
            counted(quotas, "quota"),
        )
    )
