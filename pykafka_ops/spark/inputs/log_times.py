"""Offsets by time and times by offset, looked up in log directories through their indexes.

Each look-up is a few small reads, done where Spark's tasks run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from pykafka_ops.spark import schemas
from pykafka_ops.spark.arrow import map_rows
from pykafka_ops.spark.engines import functions_of
from pykafka_ops.spark.inputs.asked_ends import AskedEnds, first_of
from pykafka_ops.spark.inputs.replicas import unpacked
from pykafka_ops.spark.schemas import Row
from pykafka_ops.spark.sources.files import SegmentFile
from pykafka_ops.spark.sources.log.pick import first_record
from pykafka_ops.spark.sources.log.plan import seeker
from pykafka_ops.spark.sources.log.seek import Seeker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_NONE: Final = (-1, -1)
"""Offset and time, as ListOffsets has them, where no record is."""


def ends(logs: DataFrame, moments: Sequence[int], wanted: DataFrame | None = None) -> DataFrame:
    """LOG_ENDS of each of LOGS at each of ``moments`` (ms, in order), as ListOffsets has them;
    ``wanted`` as ``Inputs.ends``."""

    def look(row: Mapping[str, Any]) -> Iterator[Row]:
        if row["packed"] is None:
            return
        replica = unpacked(row["packed"])
        seek = seeker(replica)
        log = AskedEnds(row["end"], None, first_of(moments, row["since"]))
        for moment in moments:
            if log.asks(moment):
                log.told(moment, *(seek.first_at(moment) or _NONE))
        yield *replica.key, log.pairs

    some = logs.select("topic", "partition", "end", "packed")
    if wanted is None:
        some = some.withColumn("since", functions_of(logs).lit(moments[0]))
    else:
        some = wanted.join(some, ["topic", "partition"], "left")
    return map_rows(some, look, schemas.LOG_ENDS)


def times(logs: DataFrame, committed: DataFrame) -> DataFrame:
    """TIMES at the offsets of ``committed`` that lie inside their logs."""

    def look(row: Mapping[str, Any]) -> Iterator[Row]:
        if row["packed"] is None:
            return
        replica = unpacked(row["packed"])
        seek = seeker(replica)
        for offset in row["offsets"]:
            if replica.first_offset <= offset < row["end"]:
                moment = time_at(seek, offset)
                if moment is not None:
                    yield row["topic"], row["partition"], offset, moment

    f = functions_of(committed)
    place = ["topic", "partition"]
    wanted = committed.groupBy(*place).agg(f.collect_set("offset").alias("offsets"))
    return map_rows(wanted.join(logs.select(*place, "end", "packed"), place, "left"), look,
                    schemas.TIMES)  # fmt: skip


def time_at(seek: Seeker, offset: int) -> int | None:
    """The timestamp (ms) of the first record at or behind ``offset``; None where there is none.

    Control records are none.
    """
    segments = seek.replica.segments
    for n, segment in enumerate(segments):
        following = segments[n + 1].base_offset if n + 1 < len(segments) else 2**63 - 1
        if following <= offset:
            continue
        found = _in_segment(seek, segment, offset)
        if found is not None:
            return found
    return None


def _in_segment(seek: Seeker, segment: SegmentFile, offset: int) -> int | None:
    """First where the index says, then in what is behind that."""
    start = seek.before(segment, offset)
    near = seek.behind(segment, offset)
    for begin, end in ((start, near), (near, segment.size)):
        if begin < end:
            for piece in seek.pieces(segment, begin, end, whole=True):
                found = first_record(piece, offset)
                if found is not None:
                    return found[1]
    return None
