"""What cannot be read in log directories, as problems of a report."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pykafka_ops.spark.engines import functions_of
from pykafka_ops.spark.inputs import Inputs
from pykafka_ops.spark.model import Problem, first_problems

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST: Final = 1000
"""Damaged places that a report names; the rest are counted."""
OFFSETS: Final = "__consumer_offsets"
_PLACE: Final = re.compile(r"(?P<where>.*? at byte \d+): (?P<what>.*)", re.DOTALL)


@dataclass(slots=True)
class DamageTally:
    """What could not be read: by place what is wrong there, and the bytes given up. What is read
    twice counts once."""

    places: dict[str, str] = field(default_factory=dict)
    bytes: int = 0

    def add(self, problem: Problem, size: int = 0) -> None:
        """A damaged place, and how many bytes it takes."""
        if problem.where not in self.places:
            self.places[problem.where] = problem.what
            self.bytes += size

    def add_logs(self, logs: DataFrame) -> None:
        """Add what is broken in ``logs``: of each ``damage`` (see ``damaged_place``) and
        ``damaged`` (bytes)."""
        f = functions_of(logs)
        broken = logs.where(f.size("damage") > 0).select("damage", "damaged")
        for row in broken.toArrow().to_pylist():
            self.bytes += row["damaged"]
            for text in row["damage"]:
                self.add(problem_of(text))

    def figures(self, *, whole: bool) -> dict[str, int | None]:
        """What a report says on top: no damage is nothing to be known unless the ``whole`` of the
        logs was read, as it is of directories alone."""
        known = whole or bool(self.places)
        return {
            "damaged_places": len(self.places) if known else None,
            "damaged_bytes": self.bytes if known else None,
        }

    def problems(self) -> list[Problem]:
        """The first MOST of them, and how many more there are."""
        found = [Problem(where, what) for where, what in sorted(self.places.items())]
        return first_problems(found, MOST, "log directories", "damaged places")


def damaged_place(batches: DataFrame) -> Any:
    """Of a row of BATCHES where and what is damaged (see ``problem_of``); null of a sound one."""
    f = functions_of(batches)
    where = f.concat(
        f.coalesce("log_dir", f.lit("")), f.lit("/"), "topic", f.lit("-"),
        f.col("partition").cast("string"), f.lit("/"), f.coalesce("segment", f.lit("")),
        f.lit(" at byte "), f.coalesce("position", f.lit(0)).cast("string"), f.lit(": "),
        "problem",
    )  # fmt: skip
    return f.when(f.col("problem").isNotNull(), where)


def problem_of(damage: str) -> Problem:
    """What ``damaged_place`` says, or the column ``problem`` of records."""
    found = _PLACE.fullmatch(damage)
    return Problem(found["where"], found["what"]) if found else Problem("log directories", damage)


def lost_commits(inputs: Inputs, tally: DamageTally) -> None:
    """Add what cannot be read of ``__consumer_offsets``, also where its own log was not asked for,
    and say what that means."""
    locations = inputs.directories
    if not locations or inputs.commits() is None:
        return
    if OFFSETS not in inputs.wanted_topics:
        options = {"subscribe": OFFSETS, "replicas": "one", "checkCrc": "true"}
        batches = inputs.read("kafka-log", {"paths": json.dumps(locations), **options})
        f = functions_of(batches)
        places = batches.select(damaged_place(batches).alias("damage"), "size")
        for row in places.where(f.col("damage").isNotNull()).toArrow().to_pylist():
            tally.add(problem_of(row["damage"]), row["size"] or 0)
    for where in [w for w in tally.places if f"/{OFFSETS}-" in w]:
        tally.places[where] += ": commits there are left out"
