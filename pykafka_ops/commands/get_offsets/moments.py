"""Which moment ``--time`` means."""

from __future__ import annotations

from pykafka_ops.analysis.moments import MOMENTS, moment
from pykafka_ops.client import offsets
from pykafka_ops.commands.framework.types import java_integer
from pykafka_ops.errors import PkoError, UsageError

SPECIAL = {
    "latest": offsets.LATEST,
    "earliest": offsets.EARLIEST,
    "max-timestamp": offsets.MAX_TIMESTAMP,
    "earliest-local": offsets.EARLIEST_LOCAL,
    "latest-tiered": offsets.LATEST_TIERED,
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
