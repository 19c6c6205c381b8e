"""``delete-records``: read what to delete, show it, do it."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping

from pykafka_ops.client import offsets, topics
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.offsets import Offset
from pykafka_ops.client.records import delete_records as drop
from pykafka_ops.commands.framework.args import java_integer
from pykafka_ops.commands.framework.failures import item_error, java_text
from pykafka_ops.commands.framework.output import Column, ItemError, Table, counted
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.topic_filter import missing_topic
from pykafka_ops.commands.get_offsets.offsets import moments_of
from pykafka_ops.errors import PkoError, UsageError

END = -1


class OffsetFileError(UsageError):
    """The offset file is not what DeleteRecordsCommand reads, in its words."""


def delete_records(run: Run) -> Table | None:
    """By file in Kafka's tongue; by file or by words in ours."""
    if run.args.flags and run.output == "table":
        _kafka(run)
        return None
    return _ours(run)


def _kafka(run: Run) -> None:
    cluster = run.cluster()
    before = read_file(run.args.text("offset-json-file") or "")
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


# --- the file ------------------------------------------------------------------------------------


def read_file(path: str) -> dict[Partition, int]:
    """Offsets by partition from the JSON file; OffsetFileError."""
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            text = f.read()
    except OSError:
        raise OffsetFileError(f"Unable to read file {path}") from None
    return parse_offsets(text)


def parse_offsets(text: str) -> dict[Partition, int]:
    """The offsets of the JSON text; OffsetFileError with Kafka's text."""
    import json

    try:
        data = json.loads(text)
    except ValueError:
        raise OffsetFileError("The input string is not a valid JSON") from None
    if not isinstance(data, dict):
        raise OffsetFileError(f"Expected JSON object, received {json.dumps(data)}")
    version = data.get("version", 1)
    if version != 1:
        raise OffsetFileError(f"Not supported version field value {json.dumps(version)}")
    if "partitions" not in data:
        raise OffsetFileError("Missing partitions field")
    if not isinstance(data["partitions"], list):
        raise OffsetFileError(f"Expected JSON array, received {json.dumps(data['partitions'])}")
    found: dict[Partition, int] = {}
    twice = []
    for item in data["partitions"]:
        partition, offset = _item(item)
        if partition in found:
            twice.append(partition)
        found[partition] = offset
    if twice:
        names = ",".join(f"{t}-{n}" for t, n in sorted(set(twice)))
        raise OffsetFileError(f"Offset json file contains duplicate topic partitions: {names}")
    return found


def _item(item: object) -> tuple[Partition, int]:
    if not isinstance(item, dict):
        raise OffsetFileError(f"Expected JSON object, received {item}")
    for field in ("topic", "partition", "offset"):
        if field not in item:
            raise OffsetFileError(f"No such field exists: `{field}`")
    topic, partition, offset = item["topic"], item["partition"], item["offset"]
    if not isinstance(topic, str):
        raise OffsetFileError(f"Expected `String` value, received {topic}")
    for value, kind in ((partition, "Integer"), (offset, "Long")):
        if not isinstance(value, int) or isinstance(value, bool):
            raise OffsetFileError(f"Expected `{kind}` value, received {value}")
    return (topic, partition), offset


# --- our tongue ----------------------------------------------------------------------------------

OURS = (
    Column("topic"),
    Column("partition", right=True),
    Column("earliest", right=True),
    Column("latest", right=True),
    Column("before", right=True),
    Column("records", right=True),
    Column("low_watermark", right=True, optional=True),
)


def _ours(run: Run) -> Table:
    args = run.args
    before, errors = _wanted(run)
    first = offsets.list_offsets(run.cluster(), dict.fromkeys(before, offsets.EARLIEST))
    last = offsets.list_offsets(run.cluster(), dict.fromkeys(before, offsets.LATEST))
    rows = []
    for partition, offset in sorted(before.items()):
        low, high = first[partition], last[partition]
        if isinstance(low, PkoError) or isinstance(high, PkoError):
            broken = next(v for v in (low, high) if isinstance(v, PkoError))
            errors.append(_error(partition, broken))
            del before[partition]
            continue
        rows.append(_row(partition, low.offset, high.offset, offset))
    doomed = [f"{r['topic']}-{r['partition']}" for r in rows]
    total = sum(int(str(r["records"])) for r in rows)
    if args.has("dry-run") or not rows:
        notes = ["dry run: nothing was deleted"] if args.has("dry-run") else []
        return Table("deleted-records", OURS, rows, errors=errors, notes=notes)
    question = f"delete about {total} records of {counted(doomed, 'partition')}"
    if not run.confirm(question, doomed):
        return Table("deleted-records", OURS, [], errors=errors, notes=["nothing was deleted"],
                     exit_code=1)  # fmt: skip
    return _carried_out(drop(run.cluster(), before), rows, errors)


def _carried_out(
    done: Mapping[Partition, int | PkoError],
    rows: list[dict[str, object]],
    errors: list[ItemError],
) -> Table:
    kept = []
    for row in rows:
        partition = (str(row["topic"]), int(str(row["partition"])))
        value = done[partition]
        if isinstance(value, PkoError):
            errors.append(_error(partition, value))
        else:
            kept.append({**row, "low_watermark": value})
    return Table("deleted-records", OURS, kept, errors=errors)


def _row(partition: Partition, low: int, high: int, before: int) -> dict[str, object]:
    until = high if before == END else before
    return {
        "topic": partition[0],
        "partition": partition[1],
        "earliest": low,
        "latest": high,
        "before": until,
        "records": max(0, min(until, high) - low),
        "low_watermark": None,
    }


def _error(partition: Partition, error: PkoError) -> ItemError:
    return item_error(f"{partition[0]}-{partition[1]}", error)


def _wanted(run: Run) -> tuple[dict[Partition, int], list[ItemError]]:
    """What the file or the words mean, offsets worked out."""
    args = run.args
    if args.has("offset-json-file"):
        if args.has("topic") or args.has("before"):
            raise UsageError("either --offset-json-file or TOPIC... --before OFFSET")
        return read_file(args.text("offset-json-file") or ""), []
    words, text = args.texts("topic"), args.text("before")
    if not words or text is None:
        raise UsageError("which records? TOPIC... --before OFFSET, or --offset-json-file FILE")
    partitions, errors = _partitions(run, words)
    if text == "end":
        return dict.fromkeys(partitions, END), errors
    number = java_integer(text, 63)
    if number is not None:
        if number < 0:
            raise UsageError(f"--before {text}: an offset is not negative; end means all")
        return dict.fromkeys(partitions, number), errors
    moment = moments_of(text, int(time.time() * 1000))
    if len(moment) != 1 or moment[0] < 0:
        raise UsageError(f"--before {text}: an offset, end, -2h or 2026-11-21T08:00:00Z")
    return _by_time(run, partitions, moment[0], errors), errors


def _partitions(run: Run, words: list[str]) -> tuple[list[Partition], list[ItemError]]:
    known = {t.name: t for t in topics.all_topics(run.cluster())}
    found: list[Partition] = []
    errors = []
    for word in words:
        name, _, numbers = word.partition(":")
        if name not in known:
            errors.append(missing_topic(name, known))
            continue
        have = [p.number for p in known[name].partitions]
        chosen = [java_integer(n) for n in numbers.split(",")] if numbers else list(have)
        if any(n is None for n in chosen):
            raise UsageError(f"{word}: partitions are numbers, as in {name}:0,3")
        found += [(name, n) for n in chosen if n is not None]
    return list(dict.fromkeys(found)), errors


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
