"""Some batches of each topic, read in executors: of some partitions, at some places of each.

Which ones follows from offsets alone, so that every engine reads the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from pykafka_ops.disk.batch import CONTROL_FLAG, LOG_OVERHEAD
from pykafka_ops.disk.compression import CODEC_NAMES
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import CorruptBatchError, KafkaError, PkoError
from pykafka_ops.spark.arrow import row_batches
from pykafka_ops.spark.decode.records import WantedRecords
from pykafka_ops.spark.engines import cores_of, dealt, functions_of, in_arrow, scattered
from pykafka_ops.spark.inputs.replicas import unpacked
from pykafka_ops.spark.inputs.sampling import Damage, Look, Sampled, SampledBatch
from pykafka_ops.spark.sources.files import ReplicaDir
from pykafka_ops.spark.sources.live._cluster import cluster_of
from pykafka_ops.spark.sources.live.records.decode import pieces
from pykafka_ops.spark.sources.live.records.fetch import fetch_page
from pykafka_ops.spark.sources.log.pick import MALFORMED, decoded, messages
from pykafka_ops.spark.sources.log.plan import seeker
from pykafka_ops.spark.sources.log.read import where_of
from pykafka_ops.spark.sources.log.scan import Bad, BatchRun, ByteRange, Message, scan, wrong_crcs
from pykafka_ops.spark.sources.options import SourceOptions
from pykafka_ops.wire.codes import ErrorCode

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from pykafka_ops.client.cluster import Cluster

PARTITIONS: Final = 16
"""Of a topic that are looked at, at most; evenly spread over their numbers."""
PLACES: Final = 4
"""Of a partition that are looked at, evenly spread over its offsets."""
_AT_ONCE: Final = 16
_MOST_BYTES: Final = 1 << 20
"""Read at a place; a larger batch is read as a whole."""


_Read = Callable[[Mapping[str, Any], int], Sampled]


def chosen(partitions: DataFrame) -> DataFrame:
    """The partitions with records, and with the ``highest`` number of their topic."""
    f = functions_of(partitions)
    known = partitions.where(f.col("start_offset") < f.col("end_offset"))
    counts = known.groupBy("topic").agg(f.max("partition").alias("highest"))
    return known.join(counts, ["topic"], "left")


def is_chosen(row: Mapping[str, Any]) -> bool:
    """Whether a partition is one of those that are looked at: every n-th by its number."""
    step = -(-(int(row["highest"]) + 1) // PARTITIONS)
    return int(row["partition"]) % step == 0


def _share(row: Mapping[str, Any], most: int) -> int:
    """The part of a topic's records that one of its partitions is to give."""
    count = int(row["highest"]) + 1
    step = -(-count // PARTITIONS)
    return -(-most // -(-count // step))


def places(row: Mapping[str, Any]) -> list[int]:
    """The offsets where a partition is looked at."""
    start, end = int(row["start_offset"]), int(row["end_offset"])
    count = min(PLACES, end - start)
    return [start + (end - start) * n // count for n in range(count)]


def of_cluster(
    partitions: DataFrame, options: Mapping[str, str], most: int, look: Look, schema: Any
) -> DataFrame:
    """What ``look`` makes of PARTITIONS whose records leaders give; about ``most``
    records of each topic."""
    properties = dict(options)

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = [row for batch in batches for row in batch.to_pylist() if is_chosen(row)]
        rows = [row for row in rows if row["leader"] is not None]
        if rows:
            with cluster_of(SourceOptions(properties)) as cluster:
                yield from _looked(rows, _fetching(cluster), most, look, schema)

    columns = ("topic", "partition", "leader", "start_offset", "end_offset")
    return in_arrow(dealt(chosen(partitions.select(*columns)), "leader", 256), task, schema)


def of_files(logs: DataFrame, most: int, look: Look, schema: Any) -> DataFrame:
    """The same of LOGS, a replica of each partition."""

    def read(row: Mapping[str, Any], offset: int) -> Sampled:
        return _in_files(unpacked(row["packed"]), offset)

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for start in range(0, batch.num_rows, _AT_ONCE):
                rows = [r for r in batch.slice(start, _AT_ONCE).to_pylist() if is_chosen(r)]
                yield from _looked(rows, read, most, look, schema)

    f = functions_of(logs)
    found = logs.select(
        "topic", "partition", f.col("start").alias("start_offset"),
        f.col("end").alias("end_offset"), "packed",
    )  # fmt: skip
    return in_arrow(scattered(chosen(found), 4 * cores_of(found)), task, schema)


def _looked(
    rows: Sequence[Mapping[str, Any]], read: _Read, most: int, look: Look, schema: Any
) -> Iterator[pa.RecordBatch]:
    for row in rows:
        yield from row_batches(schema, look(row, _sampled(row, read, _share(row, most))))


def _sampled(row: Mapping[str, Any], read: _Read, most: int) -> Sampled:
    """Up to ``most`` records about, at each place its part of them, and no batch twice."""
    offsets = places(row)
    for offset, end in pairwise([*offsets, int(row["end_offset"])]):
        left = -(-most // len(offsets))
        for found in read(row, offset):
            if isinstance(found, Damage):
                yield found
                continue
            is_before = found.last < offset or (offset > offsets[0] and found.base < offset)
            if found.base >= end or left <= 0:
                break
            if not is_before:
                yield found
                left -= len(found.values)


def _in_files(replica: ReplicaDir, offset: int) -> Sampled:
    seek, segments = seeker(replica), replica.segments
    at = max((n for n, s in enumerate(segments) if s.base_offset <= offset), default=0)
    segment = segments[at]
    where = where_of(replica, segment.name)
    start = seek.before(segment, offset)
    end = min(segment.size, start + _MOST_BYTES)
    part = ByteRange(start, end, segment.base_offset, seek.active(segment) or end < segment.size)
    try:
        file = seek.open(segment.name)
    except FileNotFoundError:
        return

    def told(bad: Bad) -> str:
        return f"{where} at byte {bad.position}: {bad.reason}"

    try:
        read = False
        for piece in scan(file, part, whole=True, crc=True):
            read = read or not isinstance(piece, Bad)
            yield from _batches(piece, told)
        if not read and end < segment.size:  # a batch that is larger than what was read
            whole = part._replace(end=segment.size, active=seek.active(segment))
            for piece in scan(file, whole, whole=True, crc=True):
                yield from _batches(piece, told)
                if not isinstance(piece, Bad):
                    return
    finally:
        file.close()


def _fetching(cluster: Cluster) -> _Read:
    def read(row: Mapping[str, Any], offset: int) -> Sampled:
        where = row["topic"], row["partition"]
        name = f"partition {where[0]}-{where[1]}"
        try:
            page = fetch_page(cluster, where, offset, committed=False, most=_MOST_BYTES)
            found = list(pieces(page.data))
        except KafkaError as error:
            if error.code != ErrorCode.OFFSET_OUT_OF_RANGE:  # else retention took it meanwhile
                yield Damage(f"{name}: {error.message or ErrorCode(error.code).name}")
            return
        except PkoError as error:
            yield Damage(f"{name}: {error}")
            return
        for piece in found:
            if isinstance(piece, BatchRun):
                wrong = set(wrong_crcs(piece, range(len(piece.heads))))
                keep = np.array([n not in wrong for n in range(len(piece.heads))], np.bool_)
                for n in sorted(wrong):
                    at = int(piece.heads["base_offset"][n])
                    yield Damage(f"{name}: the batch at offset {at} is corrupt: its CRC is wrong")
                piece = piece._replace(positions=piece.positions[keep], heads=piece.heads[keep])
            yield from _batches(piece, lambda bad: f"{name}: {bad.reason}")

    return read


def _batches(piece: BatchRun | Message | Bad, told: Callable[[Bad], str]) -> Sampled:
    """The batches of a piece, one by one."""
    if isinstance(piece, Bad):
        yield Damage(told(piece))
        return
    if isinstance(piece, Message):
        try:
            yield _old(piece, messages(piece))
        except CorruptBatchError as error:
            yield Damage(told(Bad(piece.position, piece.header.size, str(error))))
        return
    heads = piece.heads
    for n in np.flatnonzero((heads["attributes"] & CONTROL_FLAG) == 0).tolist():
        yield from _one(piece, n, told)


def _old(piece: Message, records: Sequence[Record]) -> SampledBatch:
    keys, values = [r.key for r in records], [r.value for r in records]
    base = records[0].offset if records else piece.last_offset
    codec = CODEC_NAMES[piece.header.codec]
    return SampledBatch(base, piece.last_offset, piece.header.size, codec, None, keys, values)


def _one(run: BatchRun, n: int, told: Callable[[Bad], str]) -> Sampled:
    only = np.arange(len(run.heads)) == n
    head = run.heads[n]
    base = int(head["base_offset"])
    last, stored = base + int(head["last_delta"]), int(head["length"]) + LOG_OVERHEAD
    one = run._replace(positions=run.positions[only], heads=run.heads[only])
    for made in decoded(one, np.ones(1, np.bool_), WantedRecords()):
        if isinstance(made, Bad):
            yield Damage(told(Bad(made.position, made.size, MALFORMED)))
            return
        plain, found = made
        if found.keys is None or found.values is None or found.bad:
            continue
        codec = CODEC_NAMES[int(head["attributes"]) & 7]
        data = bytes(plain.data[int(plain.begin[0]) : int(plain.end[0])])
        yield SampledBatch(
            base, last, stored, codec, data, found.keys.to_pylist(), found.values.to_pylist()
        )
