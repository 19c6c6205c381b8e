"""What a partition holds, gets and gives: a row of its state to its figures, in executors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from pykafka_ops.analysis.cost import MONTH_MS
from pykafka_ops.analysis.retention import RetentionPolicy, held
from pykafka_ops.spark.arrow import map_rows
from pykafka_ops.spark.reports.pieces import (
    HOUR,
    Policies,
    ToldPieces,
    day_rate,
    given_up,
    segments_of,
    span_of,
)
from pykafka_ops.spark.schemas import array_of, columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FIGURES: Final = columns(
    "topic string, partition int, bytes bigint, written double, read double, growth bigint,"
    "readers bigint, needed bigint, need_known boolean, ages ages, damaged bigint,"
    "damage texts",
    ages=array_of(columns("age int, bytes bigint")),
    texts=array_of(pa.string(), nulls=True),
)
"""Figures of a partition: bytes (null, as all that follows from them, where ``pieces.ToldPieces``
is dark); ``written`` and ``read`` bytes per hour; ``growth``: bytes more in a month; ``readers``:
groups with an offset, ``needed``: the age (ms) of the oldest record that one of them has not read,
0 where all is read; ``ages``: bytes by age (hours, as of PIECE), as far as they have a time. Null
is not known."""


def figures(states: DataFrame, now: int, policies: Policies, *, groups: bool) -> DataFrame:
    """FIGURES of the frame that ``retention.frames.states`` makes of all readers; ``groups``:
    whether anybody knows of them."""

    def one(state: Mapping[str, Any]) -> list[dict[str, Any]]:
        known = policies.get(state["topic"])
        return [partition(state, now, known[0] if known else RetentionPolicy(), groups=groups)]

    return map_rows(states, one, FIGURES)


def partition(
    state: Mapping[str, Any], now: int, policy: RetentionPolicy, *, groups: bool
) -> dict[str, Any]:
    """The figures of one partition."""
    sound, broken, is_dark = ToldPieces.of(state)
    size = None if is_dark else sum(p["bytes"] for p in sound)
    hourly = None if is_dark else day_rate(sound, span_of(sound, now))
    growth = None
    if size is not None and hourly is not None and not policy.compact:
        then = held(segments_of(sound), policy, hourly / HOUR, now, [now + MONTH_MS])[0]
        growth = then.old + then.new - size
    readers = list(state["readers"] or ())
    need = needed(sound, readers, now) if sound or not is_dark else None
    return {
        "topic": state["topic"],
        "partition": state["partition"],
        "bytes": size,
        "written": None if policy.compact else hourly,
        "read": read_rate(sound, size, readers) if groups else None,
        "growth": growth,
        "readers": len(readers),
        "needed": need,
        "need_known": groups and need is not None,
        "ages": _by_age(sound),
        **given_up(broken),
    }


def _by_age(sound: Sequence[Mapping[str, Any]]) -> list[dict[str, int]]:
    found: dict[int, int] = {}
    for piece in sound:
        if None not in (piece["age"], piece["bytes"]):
            found[piece["age"]] = found.get(piece["age"], 0) + piece["bytes"]
    return [{"age": age, "bytes": size} for age, size in sorted(found.items())]


def read_rate(
    sound: Sequence[Mapping[str, Any]], size: int | None, readers: Sequence[Mapping[str, Any]]
) -> float | None:
    """Bytes per hour that groups read, by how many bytes an offset of the log takes; None where
    these, or the rate of a group, are not known."""
    if not readers:
        return 0.0
    if size is None:
        return None
    offsets = sum(p["last"] - p["base"] + 1 for p in sound)
    each = [r["rate_out"] for r in readers]
    if not offsets or None in each:
        return None
    return float(sum(max(0.0, rate) for rate in each) * 3600 * size / offsets)


def needed(
    sound: Sequence[Mapping[str, Any]], readers: Sequence[Mapping[str, Any]], now: int
) -> int | None:
    """How old (ms) the oldest record is that a group has yet to read, at most: that of the piece of
    the log with it; 0 where all is read, None where that is not known."""
    oldest = 0
    for reader in readers:
        committed, end = reader["committed"], reader["end"]
        if committed is None or end is None or committed > end:
            return None
        if committed == end:
            continue
        firsts = [p["first"] for p in sound if p["last"] >= committed]
        if any(first is None or first < 0 for first in firsts):
            return None
        oldest = max(oldest, now - min(firsts, default=now))
    return oldest
