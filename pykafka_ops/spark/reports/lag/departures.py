"""When retention takes what: of each log the stretches that go together, by the rule of the
retention report; and what of it cannot be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from pykafka_ops.analysis.lag.unread import leaving
from pykafka_ops.analysis.retention import RetentionPolicy
from pykafka_ops.spark.arrow import map_rows
from pykafka_ops.spark.inputs import Inputs
from pykafka_ops.spark.reports.damage import DamageTally
from pykafka_ops.spark.reports.pieces import (
    HOUR,
    PLACE,
    cut,
    day_rate,
    given_up,
    pasts,
    pieces,
    policies,
    segments_of,
    span_of,
)
from pykafka_ops.spark.schemas import Row, array_of, columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

LEAVES: Final = array_of(columns("last bigint, at double"))
"""Of ``analysis.lag.loss.Departure``."""
_DEPARTURES: Final = columns(
    "topic string, partition int, leaves leaves, damage texts, damaged bigint",
    leaves=LEAVES,
    texts=array_of(pa.string(), nulls=True),
)


def departures(inputs: Inputs, readers: DataFrame | None = None) -> DataFrame | None:
    """PLACE, ``leaves`` (null where settings or times are not known) and what is damaged, kept for
    the run; None where logs are not known.

    With ``readers`` (topic, partition, offset) a cluster alone is asked only when that goes which
    they have not read; other logs are left out.
    """
    if "departures" in inputs.frames:
        return inputs.frames["departures"]
    known, now = policies(inputs), inputs.now
    is_whole = readers is None or inputs.shared or "pieces" in inputs.frames
    is_whole = is_whole or inputs.batches() is not None
    found = pieces(inputs, known or {}) if is_whole else pasts(inputs, readers)
    if found is None:
        return None
    plain = {topic: policy for topic, (policy, _) in (known or {}).items()}
    defaults, is_known = RetentionPolicy(), known is not None

    def one(row: Mapping[str, Any]) -> Iterator[Row]:
        every = cut(row, now)["pieces"]
        sound = [p for p in every if p["damage"] is None]
        broken = [p for p in every if p["damage"] is not None]
        policy = plain.get(row["topic"], defaults)
        yield {
            **{name: row[name] for name in PLACE},
            "leaves": _leaves(sound, policy, now) if is_known else None,
            **given_up(broken),
        }

    logs = found.select(*PLACE, "pieces") if is_whole else found
    return inputs.keep("departures", lambda: map_rows(logs, one, _DEPARTURES))


def _leaves(
    sound: list[Mapping[str, Any]], policy: RetentionPolicy, now: int
) -> list[dict[str, float]] | None:
    segments, hourly = segments_of(sound), day_rate(sound, span_of(sound, now))
    if hourly is None and policy.limited:
        return None
    if policy.delete and policy.retention_bytes >= 0 and any(p["bytes"] is None for p in sound):
        return None
    moments = leaving(segments, policy, (hourly or 0.0) / HOUR, now)
    return [{"last": s.last, "at": at} for s, at in zip(segments, moments, strict=True)]


def damage(found: DataFrame | None) -> DamageTally:
    """What ``departures`` says of damage."""
    tally = DamageTally()
    if found is not None:
        tally.add_logs(found)
    return tally
