"""Offsets by time and times by offset, looked up in log directories through their indexes.

Each look-up is a few small reads, done where Spark's tasks run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from pykafka_ops.spark import schemas
from pykafka_ops.spark.arrow import map_rows
from pykafka_ops.spark.engines import spread
from pykafka_ops.spark.inputs.replicas import Known
from pykafka_ops.spark.schemas import Row
from pykafka_ops.spark.sources.files import SegmentFile
from pykafka_ops.spark.sources.log.pick import first_record
from pykafka_ops.spark.sources.log.plan import seeker
from pykafka_ops.spark.sources.log.seek import Seeker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_TASK: Final = 64
"""Partitions of a task, about."""


def ends(spark: SparkSession, found: Sequence[Known], moments: Sequence[int]) -> DataFrame:
    """ENDS of each at each of ``moments``, as ListOffsets has them."""

    def look(row: Mapping[str, Any]) -> Iterator[Row]:
        known = found[row["id"]]
        seek = seeker(known.replica)
        for moment in moments:
            at = seek.first_at(moment)
            yield *known.replica.key, moment, known.tail.end if at is None else at

    return map_rows(spread(spark, len(found), _TASK), look, schemas.ENDS)


def times(found: Sequence[Known], committed: DataFrame) -> DataFrame:
    """TIMES at the offsets of ``committed`` that lie inside their logs."""
    by_key = {known.replica.key: known for known in found}

    def look(row: Mapping[str, Any]) -> Iterator[Row]:
        topic, partition, offset = row["topic"], row["partition"], row["offset"]
        known = by_key.get((topic, partition))
        if known is not None and known.replica.first_offset <= offset < known.tail.end:
            moment = time_at(seeker(known.replica), offset)
            if moment is not None:
                yield topic, partition, offset, moment

    places = committed.select("topic", "partition", "offset").distinct()
    return map_rows(places, look, schemas.TIMES)


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
