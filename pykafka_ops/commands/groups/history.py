"""``pko groups history``: a group's past, read from its own commits."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

from pykafka_ops.analysis.bars import bar
from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.analysis.commits.history import Bucket, Event, Key, buckets, events
from pykafka_ops.analysis.lag.rows import Sample
from pykafka_ops.analysis.moments import moment_text
from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.client import offsets
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.commit_log import commits_refused, commits_since
from pykafka_ops.client.groups import list_groups
from pykafka_ops.commands.dump_log.segments import Reading, plain_section, segments
from pykafka_ops.commands.framework.output import PLACE, Column, Table, numbers, rows_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.terminal import bars_are_blocks
from pykafka_ops.commands.groups import select
from pykafka_ops.commands.groups.described import offsets_at
from pykafka_ops.commands.groups.lag import bad_status
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.commits import CommitReader
from pykafka_ops.errors import CorruptBatchError, KafkaError, UsageError
from pykafka_ops.wire.codes import ErrorCode

BUCKETS = 24
HOUR = 3_600_000
SHARE_STATE = "__share_group_state"
"""Where share groups keep their state. Kafka deletes what a newer record replaces after minutes
(share.coordinator.state.topic.prune.interval.ms), so that there is no past to tell."""
BAR = 24
CHART = (
    Column("start", "TIME"),
    *numbers("commits", "moved"),
    Column("bar", " ", optional=True, spare=True),
    Column("lag", right=True, optional=True),
    Column("status", optional=True, bad=bad_status),
)
EVENTS = (
    Column("event"),
    *PLACE,
    Column("start", "SINCE"),
    Column("until"),
    Column("from_offset", "FROM", right=True),
    Column("to_offset", "TO", right=True),
)


def history(run: Run) -> Table:
    """A chart of its progress and what happened, over ``--since`` (1h by default)."""
    args = run.args
    group = args.text("group") or ""
    now = int(time.time() * 1000)
    first, _ = args.moment("since", now) or (now - HOUR, now)
    cluster = None if args.has("files") else select.cluster(run)
    if cluster is None:
        found = from_files(args.texts("files"), group, first if args.has("since") else 0)
    else:
        found = from_cluster(cluster, group, first)
    if not found.history:
        raise _no_commit(group, first, cluster, args.texts("files"))
    times = _times(run, found, first, now)
    ends = ends_at(cluster, list(found.history), times) if cluster else {}
    return _table(run, found, buckets(found.history, ends, times))


def _no_commit(group: str, since: int, cluster: Cluster | None, files: Sequence[str]) -> KafkaError:
    if cluster is None:
        text = f"no commit of group {group} in these files"
        if any(SHARE_STATE in path for path in files):
            text += f": {SHARE_STATE} is of share groups, which commit no offsets"
    else:
        refused = commits_refused(cluster)
        if refused is not None:
            return refused
        known = list_groups(cluster)[0]
        if group in known and known[group].protocol_type == "share":
            text = (
                f"group {group} is a share group, which commits no offsets: pko groups lag shows "
                "where it is, pko monitor keeps where it was"
            )
            return KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, text)
        near = "" if group in known else did_you_mean(group, known)
        text = f"no commit of group {group} since {moment_text(since, parts=False)}{near}"
    return KafkaError(ErrorCode.GROUP_ID_NOT_FOUND, text)


def _times(run: Run, found: CommitsFound, first: int, last: int) -> list[int]:
    """The borders of the buckets: ``--every``, or 24 buckets."""
    if run.args.has("files"):
        stamps = [c.timestamp for commits in found.history.values() for c in commits]
        first, last = min(stamps) - 1, max(stamps)
    step = run.args.span("every") or max(1, -(-(last - first) // BUCKETS))
    count = -(-(last - first) // step)
    if count > 10_000:
        raise UsageError(
            f"--every {run.args.text('every')} makes {count:,} rows: choose a longer one"
        )
    return [first + i * step for i in range(count)] + [last]


def _table(run: Run, found: CommitsFound, made: list[Bucket]) -> Table:
    happened = [e for key, commits in found.history.items() for e in events(key, commits)]
    happened.sort(key=lambda e: (e.start, e.topic, e.partition))
    most = max((b.moved for b in made), default=0)
    plain = not bars_are_blocks()
    tty = sys.stdout.isatty()
    bars = [bar(b.moved, most, BAR, plain=plain) if tty else None for b in made]
    chart = rows_of(
        CHART,
        (
            (moment_text(b.start, parts=False), b.commits, b.moved, drawn, b.lag, b.status)
            for b, drawn in zip(made, bars, strict=True)
        ),
    )
    above = Table("group-progress", CHART, chart)
    code = found.code or None
    rows = rows_of(EVENTS, map(_event, happened))
    if run.output in ("csv", "name"):
        return Table("group-progress", CHART, chart, exit_code=code)
    return Table(
        "group-history",
        EVENTS,
        rows,
        items=_items(found, made, happened),
        above=above,
        exit_code=code,
    )


def _event(e: Event) -> tuple[object, ...]:
    start, until = moment_text(e.start, parts=False), moment_text(e.until, parts=False)
    return e.kind, e.topic, e.partition, start, until, e.from_offset, e.to_offset


def _items(found: CommitsFound, made: list[Bucket], happened: list[Event]) -> list[object]:
    """Everything, times in ms: the buckets, the events, the commits."""
    items: list[object] = [
        {"type": "bucket", "start": b.start, "end": b.end, "commits": b.commits,
         "moved": b.moved, "lag": b.lag, "status": b.status}
        for b in made
    ]  # fmt: skip
    items += [{"type": "event", **e._asdict()} for e in happened]
    items += [
        {"type": "commit", "topic": topic, "partition": p, "timestamp": c.timestamp,
         "offset": c.offset if c.offset >= 0 else None}
        for (topic, p), commits in found.history.items()
        for c in commits
    ]  # fmt: skip
    return items


# --- where the commits are read ------------------------------------------------------------------

History = dict[Key, list[Commit]]


class CommitsFound(NamedTuple):
    """Commits by partition, in order; the exit code that damaged files mean."""

    history: History
    code: int = 0


def from_cluster(cluster: Cluster, group: str, since: int) -> CommitsFound:
    """Read back from ``__consumer_offsets`` of the cluster."""
    found = commits_since(cluster, since, {group})
    return CommitsFound({(topic, p): commits for (_, topic, p), commits in sorted(found.items())})


def from_files(paths: Sequence[str], group: str, since: int) -> CommitsFound:
    """Read from segment files of ``__consumer_offsets``, on behind what is damaged."""
    reading = Reading()
    history: History = {}
    reader = CommitReader({group})
    for segment in segments(paths):
        for batch in reading.batches(segment):
            header = batch.header
            if not isinstance(header, BatchHeader) or header.is_control:
                continue
            if header.max_timestamp < since:
                continue
            try:
                for (_, topic, p), stamp, offset in reader.read(plain_section(batch), header):
                    history.setdefault((topic, p), []).append(Commit(stamp, offset))
            except CorruptBatchError as error:
                reading.malformed(segment, batch, str(error))
    kept = {k: [c for c in commits if c.timestamp >= since] for k, commits in history.items()}
    return CommitsFound({k: kept[k] for k in sorted(kept) if kept[k]}, reading.close())


def ends_at(cluster: Cluster, keys: Sequence[Key], times: Sequence[int]) -> dict[Key, list[Sample]]:
    """Where the logs ended at each time: a question per time for all partitions together."""
    latest = {p: o for p, o in offsets_at(cluster, keys, offsets.LATEST).items() if o >= 0}
    samples: dict[Key, list[Sample]] = {key: [] for key in latest}
    for at in times:
        for key, offset in offsets_at(cluster, list(latest), at).items():
            samples[key].append((at, offset if offset >= 0 else latest[key]))
    return samples
