"""``pko get-offsets``: which partitions, which moment, what the leaders say."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from pykafka_ops.client import offsets, topics
from pykafka_ops.client.connection import UnsupportedVersionError
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.offsets import Offset
from pykafka_ops.commands.framework.absent import no_partition
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.failures import item_error, java_text
from pykafka_ops.commands.framework.output import (
    PLACE,
    Cells,
    Column,
    ItemError,
    Table,
    numbers,
    rows_of,
    say,
)
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.topic_filter import INTERNAL, chosen, missing_topics
from pykafka_ops.commands.framework.types import java_integer
from pykafka_ops.commands.get_offsets import words
from pykafka_ops.errors import PkoError, UsageError
from pykafka_ops.wire.codes import ErrorCode

KAFKAS = (*PLACE, *numbers("offset"))
SEVERAL = (*PLACE, Column("offsets"))
_FIELDS = {offsets.EARLIEST: "earliest", offsets.LATEST: "latest"}


def get_offsets(run: Run) -> Table:
    """Ask the leaders and shape the answer."""
    return _kafka(run) if run.args.flags else _ours(run)


def _kafka(run: Run) -> Table:
    args = run.args
    if args.has("topic-partitions") and (args.has("topic") or args.has("partition")):
        raise words.OffsetProblem("--topic-partitions cannot be used with --topic or --partitions")
    moment = words.parse_time(args.text("time") or "latest")
    if args.has("topic-partitions"):
        allowed = words.by_patterns(args.text("topic-partitions") or "")
    else:
        allowed = words.by_topic_and_partitions(args.text("topic"), args.text("partition"))
    exclude = args.has("exclude-internal")
    wanted = [
        (t.name, p.number)
        for t in topics.all_topics(run.cluster())
        if not (exclude and t.name in INTERNAL)
        for p in t.partitions
        if allowed(t.name, p.number)
    ]
    if not wanted:
        raise words.OffsetProblem("Could not match any topic-partitions with the specified filters")
    count = args.number("offsets") or 1
    if count > 1:
        return _old(run, wanted, moment, count)
    found = offsets.list_offsets(run.cluster(), dict.fromkeys(wanted, moment))
    _skip(found)
    rows = [
        {"topic": p[0], "partition": p[1], "offset": v.offset}
        for p, v in sorted(found.items())
        if isinstance(v, Offset) and v.offset >= 0
    ]
    text = (f"{row['topic']}:{row['partition']}:{row['offset']}\n" for row in rows)
    return Table("offsets", KAFKAS, rows, kafka=text)


def _old(run: Run, wanted: Sequence[Partition], moment: int, count: int) -> Table:
    """Several offsets of each partition, as GetOffsetShell printed until Kafka 2.8."""
    if moment < offsets.EARLIEST:
        raise words.OffsetProblem(
            f"--offsets {count} goes with --time latest, earliest or a timestamp"
        )
    found = offsets.offsets_before(run.cluster(), dict.fromkeys(wanted, moment), count)
    gone = [v for v in found.values() if isinstance(v, UnsupportedVersionError)]
    if gone:
        raise words.OffsetProblem(
            f"{gone[0]}: brokers from 4.0 on return one offset of a partition: write --offsets 1"
        )
    _skip(found)
    answered = [(*p, v) for p, v in sorted(found.items()) if not isinstance(v, PkoError)]
    text = (f"{t}:{n}:{','.join(map(str, v))}\n" for t, n, v in answered)
    return Table("offsets", SEVERAL, rows_of(SEVERAL, answered), kafka=text)


def _skip(found: Mapping[Partition, object]) -> None:
    """Say which partitions have no answer, in the words of Kafka's tool."""
    for (topic, number), value in found.items():
        if isinstance(value, PkoError):
            say(
                f"Skip getting offsets for topic-partition {topic}-{number} due to error: "
                f"{java_text(value)}"
            )


OURS = (
    *PLACE,
    Column("earliest", right=True, optional=True),
    Column("latest", right=True, optional=True),
    Column("records", right=True, optional=True),
    Column("offset", right=True, optional=True),
    Column("timestamp", right=True, optional=True),
    Column("leader_epoch", right=True, wide=True),
)


def _ours(run: Run) -> Table:
    args = run.args
    numbers = _numbers(args)
    moments = words.moments_of(args.text("time") or "latest", int(time.time() * 1000))
    every = topics.all_topics(run.cluster())
    known = [t.name for t in every]
    names, missing = chosen(
        known,
        args.texts("topic"),
        regex=args.has("regex"),
        exclude_internal=args.has("exclude-internal"),
    )
    errors = missing_topics(run.cluster(), missing, known)
    errors += _gone(args, [t for t in every if t.name in set(names)], numbers)
    patterns = args.text("topic-partitions")
    allowed = words.by_patterns(patterns) if patterns else None
    wanted = [
        (t.name, p.number)
        for t in every
        if t.name in set(names)
        for p in t.partitions
        if (not numbers or p.number in numbers) and (allowed is None or allowed(t.name, p.number))
    ]
    answers = [
        offsets.list_offsets(run.cluster(), dict.fromkeys(wanted, moment)) for moment in moments
    ]
    rows = []
    for partition in wanted:
        values = [a[partition] for a in answers]
        broken = next((v for v in values if isinstance(v, PkoError)), None)
        if broken is not None:
            errors.append(item_error(f"{partition[0]}-{partition[1]}", broken))
            continue
        rows.append(_row(partition, moments, [v for v in values if isinstance(v, Offset)]))
    return Table("offsets", OURS, rows, errors=errors)


def _gone(
    args: Args, meant: Sequence[topics.TopicDescription], numbers: set[int]
) -> list[ItemError]:
    """Errors for partitions that were asked for and are nowhere: of each topic that was named,
    else of all topics together."""
    if args.has("topic") and not args.has("regex"):
        return [
            ItemError.of(f"{t.name}-{n}", no_partition(t.name, n, len(t.partitions)))
            for t in meant
            for n in sorted(numbers - {p.number for p in t.partitions})
        ]
    found = {p.number for t in meant for p in t.partitions}
    code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return [
        ItemError(f"partition {n}", code.name, "no topic has such a partition", code)
        for n in sorted(numbers - found)
    ]


def _numbers(args: Args) -> set[int]:
    """``--partition``; none means all."""
    found = set()
    for word in args.names("partition"):
        number = java_integer(word)
        if number is None or number < 0:
            raise UsageError(f"--partition {word}: give whole numbers from 0 on")
        found.add(number)
    return found


def _row(partition: Partition, moments: Sequence[int], values: list[Offset]) -> dict[str, object]:
    row: Cells = dict.fromkeys(column.key for column in OURS)
    row["topic"], row["partition"] = partition
    row["leader_epoch"] = values[-1].leader_epoch
    if len(moments) == 2:
        first, last = values[0].offset, values[1].offset
        return {**row, "earliest": first, "latest": last, "records": last - first}
    (value,) = values
    row[_FIELDS.get(moments[0], "offset")] = value.offset if value.offset >= 0 else None
    row["timestamp"] = value.timestamp if value.timestamp >= 0 else None
    return row
