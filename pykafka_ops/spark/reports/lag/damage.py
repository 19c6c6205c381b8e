"""What cannot be read of ``__consumer_offsets`` in log directories: commits that a report lacks."""

from __future__ import annotations

import json
from typing import Final

from pyspark.sql import functions as f

from pykafka_ops.spark.inputs import Inputs
from pykafka_ops.spark.model import Problem
from pykafka_ops.spark.schemas import columns

_PLACE: Final = columns("partition int, segment string, position bigint, size int, problem string")
_MOST: Final = 20
"""Damaged places that are named; the rest are counted."""


def damage(inputs: Inputs) -> list[Problem]:
    """A problem per damaged place, in order; none where no files are read."""
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
