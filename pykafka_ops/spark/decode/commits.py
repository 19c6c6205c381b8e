"""Records of ``__consumer_offsets`` as columns of commits, without a loop over the usual ones.

Such a log repeats few keys many times, and nearly every value has version 3, whose fields but one
are at fixed places. What is different is read one by one as ``disk.internal`` reads it.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pykafka_ops.disk.internal import OffsetCommitKey, OffsetCommitValue, read_offsets_record
from pykafka_ops.disk.text import java_text
from pykafka_ops.errors import CorruptError
from pykafka_ops.spark import schemas

Ints = npt.NDArray[np.int64]
SCHEMA: Final = schemas.arrow(schemas.OFFSETS)
_HEAD: Final = np.dtype(
    [("version", ">i2"), ("offset", ">i8"), ("epoch", ">i4"), ("metadata", ">i2")]
)
"""How a value of version 3 begins; then come the metadata, then the commit time."""
_STAMP: Final = 8
_LEAST: Final = _HEAD.itemsize + _STAMP
_LAST: Final = (2**63 - 1) // 1000
_MOST_KEYS: Final = 1 << 20


class Records(NamedTuple):
    """Records of one partition of the topic: keys and values (binary), offsets, times in ms."""

    keys: pa.Array
    values: pa.Array
    offsets: Ints
    timestamps: Ints


class _Keys(NamedTuple):
    """Per record: group, topic, partition (dictionary arrays made plain later)."""

    group: pa.Array
    topic: pa.Array
    partition: pa.Array


class _Values(NamedTuple):
    """Per record; ``good`` says which are commits or tombstones."""

    good: npt.NDArray[np.bool_]
    dead: npt.NDArray[np.bool_]
    offset: Ints
    epoch: Ints
    metadata: pa.Array
    committed: Ints
    expires: Ints


class CommitDecoder:
    """Decodes one run of records after the other; keeps the keys it has seen.

    ``groups`` and ``topics`` say which are wanted, ``since`` and ``until`` (ms, both included)
    when they must have been committed.
    """

    def __init__(
        self,
        groups: Container[str],
        topics: Container[str],
        since: int | None = None,
        until: int | None = None,
    ) -> None:
        self._groups, self._topics = groups, topics
        self._since, self._until = since, until
        self._known: dict[bytes, tuple[str, str, int] | None] = {}

    def decode(self, records: Records, log_partition: int | None) -> pa.RecordBatch:
        """The commits among ``records``, with the columns of OFFSETS; what is none, or not
        understood, is left out."""
        wanted, keys = self._keys(records.keys)
        if len(wanted) < len(records.keys):
            rows = pa.array(wanted)
            records = Records(
                records.keys.take(rows),
                records.values.take(rows),
                records.offsets[wanted],
                records.timestamps[wanted],
            )
        values = _values(records)
        keep = values.good
        if self._since is not None:
            keep &= values.committed >= self._since
        if self._until is not None:
            keep &= values.committed <= self._until
        made = _batch(keys, values, records, log_partition)
        return made if keep.all() else made.filter(pa.array(keep))

    def _keys(self, keys: pa.Array) -> tuple[Ints, _Keys]:
        """The numbers of the records whose keys are wanted, and what those keys say."""
        encoded = keys.dictionary_encode()
        found = [self._learn(raw) for raw in encoded.dictionary.to_pylist()]
        good = np.array([key is not None for key in found], np.bool_)
        index = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        mask = index >= 0
        if not good.all():
            mask &= good[index]
        wanted = np.flatnonzero(mask)
        rows = pa.array(index[wanted])
        blank = ("", "", 0)
        parts = list(zip(*(key or blank for key in found), strict=True)) or [(), (), ()]
        kinds = (pa.string(), pa.string(), pa.int32())
        return wanted, _Keys(
            *(pa.array(p, k).take(rows) for p, k in zip(parts, kinds, strict=True))
        )

    def _learn(self, raw: bytes) -> tuple[str, str, int] | None:
        """The key of a commit that is wanted; None for all else."""
        try:
            return self._known[raw]
        except KeyError:
            pass
        key = None
        try:
            found = read_offsets_record(raw, None).key
        except CorruptError:
            found = None
        if isinstance(found, OffsetCommitKey):
            group, topic = found.group, found.topic
            if group in self._groups and topic in self._topics:
                key = group, topic, found.partition
        if len(self._known) >= _MOST_KEYS:
            self._known.clear()
        self._known[raw] = key
        return key


def _values(records: Records) -> _Values:
    """All values of version 3 at once, the others one by one."""
    count = len(records.values)
    sizes, begins, data = _buffer(records.values)
    dead = sizes < 0
    good = dead.copy()
    made = _Values(
        good,
        dead,
        np.full(count, -1, np.int64),
        np.full(count, -1, np.int64),
        pa.nulls(count, pa.string()),
        records.timestamps.copy(),
        np.full(count, -1, np.int64),
    )
    texts: dict[int, str] = {}
    long = np.flatnonzero(sizes >= _LEAST)
    heads = _gathered(data, begins[long], _HEAD)
    lengths = heads["metadata"].astype(np.int64)
    usual = (heads["version"] == 3) & (lengths >= 0) & (lengths + _LEAST == sizes[long])
    rows, heads, lengths = long[usual], heads[usual], lengths[usual]
    stamps = _gathered(data, begins[rows] + sizes[rows] - _STAMP, np.dtype(">i8"))
    good[rows] = True
    made.offset[rows] = heads["offset"]
    made.epoch[rows] = heads["epoch"]
    made.committed[rows] = np.where(stamps >= 0, stamps, records.timestamps[rows])
    for n in np.flatnonzero(lengths).tolist():
        at = int(begins[rows[n]]) + _HEAD.itemsize
        texts[int(rows[n])] = java_text(bytes(data[at : at + int(lengths[n])]))
    odd = np.flatnonzero(~good)
    for row in odd.tolist():
        _one(records, row, made, texts)
    return made._replace(metadata=_texts(good & ~dead, texts))


def _one(records: Records, row: int, made: _Values, texts: dict[int, str]) -> None:
    """A value of another version; not ``good`` where it is not understood."""
    try:
        value = read_offsets_record(records.keys[row].as_py(), records.values[row].as_py()).value
    except CorruptError:
        return
    if not isinstance(value, OffsetCommitValue):
        return
    made.good[row] = True
    made.offset[row] = value.offset
    made.epoch[row] = value.leader_epoch
    if value.commit_timestamp >= 0:
        made.committed[row] = value.commit_timestamp
    made.expires[row] = value.expire_timestamp
    if value.metadata:
        texts[row] = value.metadata


def _texts(there: npt.NDArray[np.bool_], texts: dict[int, str]) -> pa.Array:
    """ "" where ``there`` and nothing else is known, null where not."""
    if not texts:
        blank = pa.repeat(pa.scalar("", pa.string()), len(there))
        return pa.compute.if_else(pa.array(there), blank, pa.scalar(None, pa.string()))
    alive = there.tolist()
    return pa.array([texts.get(n, "") if there else None for n, there in enumerate(alive)])


def _buffer(values: pa.Array) -> tuple[Ints, Ints, npt.NDArray[np.uint8]]:
    """Sizes (-1: null), places, and the bytes of a binary array."""
    import pyarrow.compute as pc

    sizes = pc.fill_null(pc.binary_length(values), -1).to_numpy(zero_copy_only=False)
    _, ends, data = values.buffers()
    count = len(values)
    if ends is None or not count:
        return sizes.astype(np.int64), np.zeros(count, np.int64), np.zeros(0, np.uint8)
    begins = np.frombuffer(ends, np.int32)[values.offset : values.offset + count]
    raw = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
    return sizes.astype(np.int64), begins.astype(np.int64), raw


def _gathered(data: npt.NDArray[np.uint8], places: Ints, kind: Any) -> npt.NDArray[Any]:
    """What lies at ``places`` of ``data``, each of ``kind``."""
    if not len(places):
        return np.empty(0, kind)
    rows = data[places[:, None] + np.arange(kind.itemsize)]
    found: npt.NDArray[Any] = rows.view(kind)[:, 0]
    return found


def _batch(
    keys: _Keys, values: _Values, records: Records, log_partition: int | None
) -> pa.RecordBatch:
    count = len(records.offsets)
    known = {
        "group": keys.group,
        "topic": keys.topic,
        "partition": keys.partition,
        "offset": _nullable(values.offset, values.dead),
        "leader_epoch": _nullable(values.epoch, values.epoch < 0).cast(pa.int32()),
        "metadata": values.metadata,
        "commit_timestamp": _moments(values.committed),
        "expire_timestamp": _moments(values.expires),
        "tombstone": pa.array(values.dead),
        "log_partition": pa.repeat(pa.scalar(log_partition, pa.int32()), count),
        "log_offset": pa.array(records.offsets),
    }
    return pa.RecordBatch.from_arrays([known[f.name] for f in SCHEMA], schema=SCHEMA)


def _nullable(values: Ints, nulls: npt.NDArray[np.bool_]) -> pa.Array:
    return pa.array(values, mask=nulls)


def _moments(times: Ints) -> pa.Array:
    """ms since 1970 as Spark's moments; negative ones are null."""
    micros = np.clip(times, 0, _LAST) * 1000
    return pa.array(micros, mask=times < 0).cast(pa.timestamp("us", "UTC"))
