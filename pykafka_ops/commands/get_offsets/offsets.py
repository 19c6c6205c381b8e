"""``get-offsets``: which partitions, which moment, what the leaders say."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence

from pykafka_ops.analysis.moments import MOMENTS, moment
from pykafka_ops.client import offsets, topics
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.offsets import Offset
from pykafka_ops.commands.framework.args import java_integer
from pykafka_ops.commands.framework.failures import item_error, java_text
from pykafka_ops.commands.framework.output import Column, ItemError, Table, say
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.topic_filter import (
    INTERNAL,
    chosen,
    include_list,
    missing_topic,
)
from pykafka_ops.errors import PkoError, UsageError

SPECIAL = {
    "latest": offsets.LATEST,
    "earliest": offsets.EARLIEST,
    "max-timestamp": offsets.MAX_TIMESTAMP,
    "earliest-local": offsets.EARLIEST_LOCAL,
    "latest-tiered": offsets.LATEST_TIERED,
}
_PATTERN = re.compile(r"([^:,]*)(?::(?:([0-9]*)|(?:([0-9]*)-([0-9]*))))?")
_FIELDS = {offsets.EARLIEST: "earliest", offsets.LATEST: "latest"}

Allowed = Callable[[str, int], bool]


class OffsetProblem(PkoError):  # noqa: N818 - a request that cannot be met, not a fault
    """What GetOffsetShell complains about, in its words."""


def get_offsets(run: Run) -> Table:
    """Ask the leaders and shape the answer."""
    return _kafka(run) if run.args.flags else _ours(run)


# --- Kafka's tongue ------------------------------------------------------------------------------


def _kafka(run: Run) -> Table:
    args = run.args
    if args.has("topic-partitions") and (args.has("topic") or args.has("partitions")):
        raise OffsetProblem("--topic-partitions cannot be used with --topic or --partitions")
    moment = parse_time(args.text("time") or "latest")
    if args.has("topic-partitions"):
        allowed = by_patterns(args.text("topic-partitions") or "")
    else:
        allowed = _by_topic_and_partitions(args.text("topic"), args.text("partitions"))
    exclude = args.has("exclude-internal-topics")
    wanted = [
        (t.name, p.number)
        for t in topics.all_topics(run.cluster())
        if not (exclude and t.name in INTERNAL)
        for p in t.partitions
        if allowed(t.name, p.number)
    ]
    if not wanted:
        raise OffsetProblem("Could not match any topic-partitions with the specified filters")
    found = offsets.list_offsets(run.cluster(), dict.fromkeys(wanted, moment))
    for (topic, number), value in found.items():
        if isinstance(value, PkoError):
            say(
                f"Skip getting offsets for topic-partition {topic}-{number} due to error: "
                f"{java_text(value)}"
            )
    rows = [
        {"topic": p[0], "partition": p[1], "offset": v.offset}
        for p, v in sorted(found.items())
        if isinstance(v, Offset) and v.offset >= 0
    ]
    columns = (Column("topic"), Column("partition", right=True), Column("offset", right=True))
    return Table("offsets", columns, rows, kafka=_kafka_text(rows))


def _kafka_text(rows: Sequence[dict[str, object]]) -> Iterator[str]:
    for row in rows:
        yield f"{row['topic']}:{row['partition']}:{row['offset']}\n"


def parse_time(text: str) -> int:
    """A name or a number; OffsetProblem with Kafka's text."""
    if text in SPECIAL:
        return SPECIAL[text]
    value = java_integer(text, 63)
    if value is None:
        raise OffsetProblem(
            f"Malformed time argument {text}. Please use -1 or latest / -2 or earliest / "
            "-3 or max-timestamp / -4 or earliest-local / -5 or latest-tiered, "
            "or a specified long format timestamp"
        )
    return value


def by_patterns(text: str) -> Allowed:
    """``--topic-partitions``: ``regex:N``, ``:N-M`` (M excluded), ``N-``, ``-M``."""
    rules = [_rule(spec) for spec in text.split(",")]
    return lambda topic, number: any(rule(topic, number) for rule in rules)


def _rule(spec: str) -> Allowed:
    match = _PATTERN.fullmatch(spec)
    if match is None:
        raise OffsetProblem(
            f"org.apache.kafka.tools.TerseException: Invalid rule specification: {spec}"
        )
    topic, exact, low, high = match.groups()
    regex = include_list(topic or ".*")
    if exact:
        first, last = int(exact), int(exact) + 1
    else:
        first, last = int(low or 0), int(high) if high else 1 << 31
    return lambda name, number: bool(regex.fullmatch(name)) and first <= number < last


def _by_topic_and_partitions(topic: str | None, partitions: str | None) -> Allowed:
    regex = include_list(topic if topic is not None else ".*")
    numbers = _numbers(partitions) if partitions else None
    return lambda name, number: (
        bool(regex.fullmatch(name)) and (numbers is None or number in numbers)
    )


def _numbers(text: str) -> set[int]:
    values = [java_integer(part) for part in text.rstrip(",").split(",")]
    if any(v is None for v in values):
        raise OffsetProblem(
            "--partitions expects a comma separated list of numeric partition ids, "
            f"but received: {text}"
        )
    return {v for v in values if v is not None}


# --- our tongue ----------------------------------------------------------------------------------

OURS = (
    Column("topic"),
    Column("partition", right=True),
    Column("earliest", right=True, optional=True),
    Column("latest", right=True, optional=True),
    Column("records", right=True, optional=True),
    Column("offset", right=True, optional=True),
    Column("timestamp", right=True, optional=True),
    Column("leader_epoch", right=True, wide=True),
)


def _ours(run: Run) -> Table:
    args = run.args
    moments = moments_of(args.text("time") or "latest", int(time.time() * 1000))
    every = topics.all_topics(run.cluster())
    names, missing = chosen(
        [t.name for t in every],
        args.texts("topic"),
        regex=args.has("regex"),
        exclude_internal=args.has("exclude-internal-topics"),
    )
    errors = [missing_topic(word, [t.name for t in every]) for word in missing]
    numbers = _numbers(args.text("partitions") or "") if args.has("partitions") else None
    patterns = args.text("topic-partitions")
    allowed = by_patterns(patterns) if patterns else None
    wanted = [
        (t.name, p.number)
        for t in every
        if t.name in set(names)
        for p in t.partitions
        if (numbers is None or p.number in numbers)
        and (allowed is None or allowed(t.name, p.number))
    ]
    answers = [
        offsets.list_offsets(run.cluster(), dict.fromkeys(wanted, moment)) for moment in moments
    ]
    rows = []
    for partition in wanted:
        values = [a[partition] for a in answers]
        broken = next((v for v in values if isinstance(v, PkoError)), None)
        if broken is not None:
            errors.append(_item_error(partition, broken))
            continue
        rows.append(_row(partition, moments, [v for v in values if isinstance(v, Offset)]))
    return Table("offsets", OURS, rows, errors=errors)


def _item_error(partition: Partition, error: PkoError) -> ItemError:
    return item_error(f"{partition[0]}-{partition[1]}", error)


def _row(partition: Partition, moments: Sequence[int], values: list[Offset]) -> dict[str, object]:
    row: dict[str, object] = {
        "topic": partition[0],
        "partition": partition[1],
        "earliest": None,
        "latest": None,
        "records": None,
        "offset": None,
        "timestamp": None,
        "leader_epoch": values[-1].leader_epoch,
    }
    if len(moments) == 2:
        first, last = values[0].offset, values[1].offset
        return {**row, "earliest": first, "latest": last, "records": last - first}
    (value,) = values
    row[_FIELDS.get(moments[0], "offset")] = value.offset if value.offset >= 0 else None
    row["timestamp"] = value.timestamp if value.timestamp >= 0 else None
    return row


def moments_of(text: str, now_ms: int) -> list[int]:
    """``all``, a name or number of Kafka's, or a moment as people write it."""
    if text == "all":
        return [offsets.EARLIEST, offsets.LATEST]
    if text in SPECIAL or java_integer(text, 63) is not None:
        return [parse_time(text)]
    try:
        return [moment(text, now_ms)[0]]
    except UsageError:
        words = "latest, earliest, max-timestamp, all"
        raise UsageError(f"--time {text}: write {words}, {MOMENTS}") from None
