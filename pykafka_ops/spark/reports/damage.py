"""What cannot be read in log directories, as problems of a report."""

from __future__ import annotations

import json
from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as f

from pykafka_ops.spark.inputs import Inputs
from pykafka_ops.spark.model import Problem
from pykafka_ops.spark.schemas import columns

_PLACE: Final = columns("partition int, segment string, position bigint, size int, problem string")
_MOST: Final = 20
"""Damaged places that are named; the rest are counted."""


_GLUE: Final = "\x00"


def damaged_place() -> Column:
    """Of a row of BATCHES where and what is damaged (see ``problem_of``); null of a sound one."""
    where = f.concat(
        f.coalesce("log_dir", f.lit("")), f.lit("/"), "topic", f.lit("-"),
        f.col("partition").cast("string"), f.lit("/"), f.coalesce("segment", f.lit("")),
        f.lit(" at byte "), f.coalesce("position", f.lit(0)).cast("string"), f.lit(_GLUE),
        "problem",
    )  # fmt: skip
    return f.when(f.col("problem").isNotNull(), where)


def problem_of(damage: str) -> Problem:
    """What ``damaged_place`` says."""
    where, _, what = damage.partition(_GLUE)
    return Problem(where, what)


def lost_commits(inputs: Inputs) -> list[Problem]:
    """What cannot be read of ``__consumer_offsets``: a problem per damaged place, in order; none
    where no files are read."""
    locations = inputs.source.get("directories")
    if not locations or inputs.commits() is None:
        return []
    batches = inputs.spark.read.format("kafka-log").schema(_PLACE)
    options = {"subscribe": "__consumer_offsets", "replicas": "one", "checkCrc": "true"}
    every = batches.options(paths=json.dumps(locations), **options).load()
    found = every.where(f.col("problem").isNotNull())
    rows = found.orderBy("partition", "segment", "position").limit(_MOST + 1).collect()
    problems = [
        Problem(
            f"__consumer_offsets-{row['partition']}/{row['segment']}",
            f"{row['problem']} (at byte {row['position']:,}, {row['size']:,} bytes): commits there "
            "are left out",
        )
        for row in rows[:_MOST]
    ]
    if len(rows) > _MOST:
        problems.append(
            Problem("__consumer_offsets", f"{found.count() - _MOST:,} more damaged places")
        )
    return problems
