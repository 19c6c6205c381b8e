"""How much a micro-batch has follows the options of Spark's own source."""

from __future__ import annotations

import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows

from pykafka_ops.errors import UsageError
from pykafka_ops.spark.sources.limits import BatchLimits
from pykafka_ops.spark.sources.options import SourceOptions


class Clock:
    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def limits(clock: Clock | None = None, **options: object) -> BatchLimits:
    return BatchLimits(SourceOptions({k: str(v) for k, v in options.items()}), clock or Clock())


def test_a_micro_batch_waits_until_enough_is_there_or_long_enough() -> None:
    clock, key = Clock(), ("a", 0)
    made = limits(clock, minOffsetsPerTrigger=10, maxTriggerDelay="30s")
    assert not made.waits({key: 0}, {key: 3}), "the first of a run does not wait"
    assert made.waits({key: 3}, {key: 12})
    assert not made.waits({key: 3}, {key: 13})
    clock.seconds = 29
    assert made.waits({key: 13}, {key: 14})
    clock.seconds = 30
    assert not made.waits({key: 13}, {key: 14})
    clock.seconds = 61
    assert not made.waits({key: 14}, {key: 14}), "nothing new is no micro-batch"
    assert not made.waits({key: 14}, {key: 15}), "so one record has waited long enough"
    assert made.waits({key: 15}, {key: 16})
    assert not limits().waits({}, {key: 1})


def test_ends_come_nearer_by_a_limit_from_above() -> None:
    ends = {("a", 0): 90, ("b", 0): 10}
    made = limits(maxOffsetsPerTrigger=10)
    assert made.default() == ReadMaxRows(10)
    assert made.cut({}, ends, made.default()) == {("a", 0): 9, ("b", 0): 1}
    assert limits().default() == ReadAllAvailable()
    assert made.cut({}, ends, ReadAllAvailable()) == ends


@pytest.mark.parametrize(
    ("text", "seconds"), [("500", 0.5), ("250ms", 0.25), ("2min", 120), ("1h", 3600), ("1d", 86400)]
)
def test_spans_are_written_as_spark_writes_them(text: str, seconds: float) -> None:
    assert limits(maxTriggerDelay=text).delay == seconds


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"maxTriggerDelay": "soon"}, "option maxTriggerDelay=soon: not a span"),
        ({"minOffsetsPerTrigger": 5, "maxOffsetsPerTrigger": 4}, "must not be more than"),
        ({"minOffsetsPerTrigger": 0}, "minOffsetsPerTrigger=0: not a whole number from 1 on"),
    ],
)
def test_wrong_limits_are_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError) as error:
        limits(**options)
    assert said in str(error.value)
