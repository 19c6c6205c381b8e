"""Which moment ``--time`` means, and which partitions the options that name some."""

from __future__ import annotations

import re
from collections.abc import Callable

from pykafka_ops.analysis.moments import MOMENTS, moment
from pykafka_ops.client import offsets
from pykafka_ops.commands.framework.topic_filter import include_list
from pykafka_ops.commands.framework.types import java_integer
from pykafka_ops.errors import PkoError, UsageError

SPECIAL = {
    "latest": offsets.LATEST,
    "earliest": offsets.EARLIEST,
    "max-timestamp": offsets.MAX_TIMESTAMP,
    "earliest-local": offsets.EARLIEST_LOCAL,
    "latest-tiered": offsets.LATEST_TIERED,
    "earliest-pending-upload": offsets.EARLIEST_PENDING_UPLOAD,
}


class OffsetProblem(PkoError):  # noqa: N818 - a request that cannot be met, not a fault
    """What GetOffsetShell complains about, in its words."""


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


_PATTERN = re.compile(r"([^:,]*)(?::(?:([0-9]*)|(?:([0-9]*)-([0-9]*))))?")

Allowed = Callable[[str, int], bool]


def by_patterns(text: str) -> Allowed:
    """``--topic-partitions``: ``regex:N``, ``:N-M`` (M excluded), ``N-``, ``-M``; OffsetProblem."""
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


def by_topic_and_partitions(topic: str | None, partitions: str | None) -> Allowed:
    """``--topic`` and ``--partitions`` of Kafka's tool; OffsetProblem, InvalidRegexError."""
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
