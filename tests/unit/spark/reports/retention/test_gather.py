"""Sums of directories: what of them comes to the driver."""

from __future__ import annotations

import pyarrow as pa

from pykafka_ops.analysis.capacity import GRID
from pykafka_ops.spark import schemas
from pykafka_ops.spark.engines import local_session, made_frame
from pykafka_ops.spark.reports.retention.fold import Directory
from pykafka_ops.spark.reports.retention.gather import dir_sums
from pykafka_ops.spark.reports.retention.judge import FIGURES, PAST_DAYS, PAST_HOURS

NAMES = ["topic", "partition", "bytes", "kept", "fresh", "days", "hours", "uncut", "oldest"]
SOME_FIGURES = pa.schema([FIGURES.field(name) for name in NAMES])


def sums(grown: dict[str, int | None]) -> Directory:
    """The one directory of topics with a replica of 100 bytes each, which grow to so many bytes;
    None: that is not known."""
    spark = local_session()
    figures = [
        (topic, 0, 100, None, None, None, None, True, None) if size is None else
        (topic, 0, 100, [0] * len(GRID), [size] * len(GRID), [0] * PAST_DAYS, [0] * PAST_HOURS,
         True, 5)
        for topic, size in grown.items()
    ]  # fmt: skip
    dirs = [(1, "/d", topic, 0, 100, 0, False, 1000, 500) for topic in grown]
    (found,) = dir_sums(
        made_frame(spark, dirs, schemas.LOG_DIRS), made_frame(spark, figures, SOME_FIGURES)
    ).values()
    return found


def test_a_directory_is_told_not_to_be_foreseen_for_one_log_in_it() -> None:
    assert not sums({"a": 100}).unforeseen
    assert sums({"a": 100, "timeless": None}).unforeseen


def test_of_topics_that_grow_in_a_directory_only_the_fastest_is_told() -> None:
    found = sums({"slow": 150, "fast": 400, "shrinking": 20})
    assert (found.broker, found.log_dir, found.bytes) == (1, "/d", 300)
    assert found.growing == {"fast": 300.0}


def test_a_directory_where_nothing_grows_tells_of_no_topic() -> None:
    assert sums({"a": 100, "b": 20}).growing == {}
