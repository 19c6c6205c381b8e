"""``pko delete-records``: what to delete, shown and asked for in pko's form."""

from __future__ import annotations

import sys
import time

from pykafka_ops.analysis.moments import moment
from pykafka_ops.client import offsets, topics
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.offsets import Offset
from pykafka_ops.client.records import delete_records as drop
from pykafka_ops.commands.delete_records.offset_file import read_file
from pykafka_ops.commands.framework.absent import no_partition
from pykafka_ops.commands.framework.failures import item_error, java_text
from pykafka_ops.commands.framework.output import (
    PLACE,
    Column,
    ItemError,
    Table,
    counted,
    numbers,
    rows_of,
)
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.topic_filter import missing_topics, partitions_by_topic
from pykafka_ops.commands.framework.types import java_integer
from pykafka_ops.errors import PkoError, UsageError

END = -1
"""The high watermark, in a request."""


def delete_records(run: Run) -> Table | None:
    """By file in Kafka's form; by file or by words in ours."""
    if run.args.flags and run.output == "table":
        _kafka(run)
        return None
    return _ours(run)


def _kafka(run: Run) -> None:
    cluster = run.cluster()
    before = read_file(run.args.text("file") or "")
    sys.stdout.write("Executing records delete operation\n")
    try:
        found = drop(cluster, before) if before else {}
    except PkoError as e:
        found = dict.fromkeys(before, e)
    sys.stdout.write("Records delete operation completed:\n")
    for (topic, number), value in sorted(found.items()):
        said = f"error: {java_text(value)}" if isinstance(value, PkoError) else (
            f"low_watermark: {value}"
        )  # fmt: skip
        sys.stdout.write(f"partition: {topic}-{number}\t{said}\n")


COLUMNS = (
    *PLACE,
    *numbers("earliest", "latest", "before", "records"),
    Column("low_watermark", right=True, optional=True),
)


def _ours(run: Run) -> Table:
    before, errors = _wanted(run)
    first = offsets.list_offsets(run.cluster(), dict.fromkeys(before, offsets.EARLIEST))
    last = offsets.list_offsets(run.cluster(), dict.fromkeys(before, offsets.LATEST))
    rows: list[tuple[str, int, int, int, int, int]] = []
    for partition, offset in sorted(before.items()):
        low, high = first[partition], last[partition]
        if isinstance(low, PkoError) or isinstance(high, PkoError):
            broken = next(v for v in (low, high) if isinstance(v, PkoError))
            errors.append(_error(partition, broken))
            del before[partition]
            continue
        until = high.offset if offset == END else offset
        records = max(0, min(until, high.offset) - low.offset)
        rows.append((*partition, low.offset, high.offset, until, records))
    doomed = [f"{topic}-{number}" for topic, number, *_ in rows]
    question = f"delete about {sum(r[-1] for r in rows)} records of {counted(doomed, 'partition')}"
    notes: list[str] = []
    code = None
    kept: list[tuple[object, ...]] = []
    if run.args.has("dry-run"):
        kept = [(*row, None) for row in rows]
        notes = ["dry run: nothing was deleted"]
    elif rows and not run.confirm(question, doomed):
        notes, code = ["nothing was deleted"], 1
    elif rows:
        done = drop(run.cluster(), before)
        for row in rows:
            value = done[row[:2]]
            if isinstance(value, PkoError):
                errors.append(_error(row[:2], value))
            else:
                kept.append((*row, value))
    table = rows_of(COLUMNS, kept)
    return Table("deleted-records", COLUMNS, table, errors=errors, notes=notes, exit_code=code)


def _error(partition: Partition, error: PkoError) -> ItemError:
    return item_error(f"{partition[0]}-{partition[1]}", error)


def _wanted(run: Run) -> tuple[dict[Partition, int], list[ItemError]]:
    """What the file or the words mean, offsets worked out."""
    args = run.args
    if args.has("file"):
        if args.has("topic") or args.has("before"):
            raise UsageError("either --file or TOPIC... --before OFFSET")
        return read_file(args.text("file") or ""), []
    text = args.text("before")
    if not args.has("topic") or text is None:
        raise UsageError("which records? TOPIC... --before OFFSET, or --file FILE")
    number = END if text == "end" else java_integer(text, 63)
    since = moment(text, int(time.time() * 1000))[0] if number is None else 0
    if number is not None and number < 0 and text != "end":
        raise UsageError(f"--before {text}: an offset is not negative; end means all")
    partitions, errors = _partitions(run)
    if number is None:
        return _by_time(run, partitions, since, errors), errors
    return dict.fromkeys(partitions, number), errors


def _partitions(run: Run) -> tuple[list[Partition], list[ItemError]]:
    words = partitions_by_topic(run.args.texts("topic"))
    known = {t.name: t for t in topics.all_topics(run.cluster())}
    errors = missing_topics(run.cluster(), [name for name in words if name not in known], known)
    found: list[Partition] = []
    for name, wanted in words.items():
        if name in known:
            there = [p.number for p in known[name].partitions]
            found += [(name, n) for n in there if wanted is None or n in wanted]
            gone = sorted({*(wanted or ())} - {*there})
            errors += [_error((name, n), no_partition(name, n, len(there))) for n in gone]
    return found, errors


def _by_time(
    run: Run, partitions: list[Partition], moment: int, errors: list[ItemError]
) -> dict[Partition, int]:
    """The first offset at or after the moment; past the last record: all."""
    found = offsets.list_offsets(run.cluster(), dict.fromkeys(partitions, moment))
    before = {}
    for partition, value in found.items():
        if isinstance(value, Offset):
            before[partition] = value.offset if value.offset >= 0 else END
        else:
            errors.append(_error(partition, value))
    return before
