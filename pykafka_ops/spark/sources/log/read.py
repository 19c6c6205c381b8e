"""What a task of ``kafka-log`` does: its parts, one after the other, as Arrow record batches."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from operator import attrgetter

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pykafka_ops.disk.batch import CONTROL_FLAG, TRANSACTIONAL_FLAG
from pykafka_ops.disk.compression import CODEC_NAMES
from pykafka_ops.disk.names import TXN_INDEX_SUFFIX, segment_file
from pykafka_ops.disk.txn_index import AbortedTxn, read_txn_index
from pykafka_ops.errors import CorruptBatchError, CorruptError
from pykafka_ops.objects import uris
from pykafka_ops.spark.decode.records import WantedRecords
from pykafka_ops.spark.sources.files import Location, RandomFile, ReplicaDir
from pykafka_ops.spark.sources.log.columns import batch_rows, overlapping, plain_rows, record_rows
from pykafka_ops.spark.sources.log.options import LogOptions
from pykafka_ops.spark.sources.log.pick import decoded, message_rows, messages
from pykafka_ops.spark.sources.log.plan import LogTask, SegmentPart, seeker
from pykafka_ops.spark.sources.log.scan import Bad, BatchRun, Message, scan
from pykafka_ops.spark.sources.log.tail import with_end
from pykafka_ops.spark.sources.pruning import NOTHING_PRUNED, Pruning

_log = logging.getLogger(__name__)
_MOST_ROWS = 1 << 16
_FEW_ROWS = 1 << 13
_FEW_BYTES = 1 << 20
_MOST_TXN_INDEX = 64 << 20
DANGLING = "a link to nothing"
GONE = "the segment was deleted after the read was planned"


def read(
    task: LogTask,
    options: LogOptions,
    schema: pa.Schema,
    *,
    owned: bool = False,
    pruning: Pruning = NOTHING_PRUNED,
) -> Iterator[pa.RecordBatch]:
    """The rows of a task; small record batches are put together.

    With ``strict`` CorruptError at the first damage. ``owned``: see ``columns.overlapping``. Rows
    that ``pruning`` does not want may be among them.
    """
    waiting: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in _batches(task, partial(_read_part, options, schema, owned, pruning)):
        if not batch.num_rows:
            continue
        if not waiting and (batch.num_rows >= _FEW_ROWS or batch.nbytes >= _FEW_BYTES):
            yield batch
            continue
        waiting.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
        if rows >= _FEW_ROWS or size >= _FEW_BYTES:
            yield _one(waiting)
            waiting, rows, size = [], 0, 0
    if waiting:
        yield _one(waiting)


def _one(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    if len(batches) == 1 or not batches[0].num_columns:
        return batches[0]
    return pa.Table.from_batches(batches).combine_chunks().to_batches()[0]


def _read_part(
    options: LogOptions, schema: pa.Schema, owned: bool, pruning: Pruning, part: SegmentPart
) -> _Records | _Headers:
    """What reads a part."""
    kind = _Records if options.mode == "records" else _Headers
    return kind(part, options, schema, owned, pruning)


def _batches(
    task: LogTask, reader: Callable[[SegmentPart], _Records | _Headers]
) -> Iterator[pa.RecordBatch]:
    for _, same in groupby(task.parts, attrgetter("replica.root", "replica.path", "name")):
        parts = list(same)
        seek = seeker(parts[0].replica)
        try:
            file = seek.open(parts[0].name)
        except FileNotFoundError:
            for part in parts:
                size = part.part.end - part.part.start
                why = DANGLING if part.dangling else GONE
                yield from reader(part).bad(Bad(part.part.start, size, why))
            continue
        try:
            for part in parts:
                yield from reader(part).read(file, seek.place)
        finally:
            file.close()


@dataclass
class _Part:
    part: SegmentPart
    options: LogOptions
    schema: pa.Schema
    owned: bool
    pruning: Pruning


class _Headers(_Part):
    """Mode batches: a row per batch, and one per stretch of damage."""

    def read(self, file: RandomFile, place: Location) -> Iterator[pa.RecordBatch]:
        crc = self.options.check_crc
        found = scan(file, self.part.part, whole=crc, crc=crc, sparse=place.local, torn=True)
        for piece in with_end(found, self.part, file, place):
            if isinstance(piece, Bad):
                yield from self.bad(piece)
            elif isinstance(piece, Message):
                yield from self._old(piece)
            else:
                part = self.part
                run = overlapping(piece, part.low, part.high, owned=self.owned)
                for begin in range(0, len(run.heads), _MOST_ROWS):
                    some = slice(begin, begin + _MOST_ROWS)
                    cut = run._replace(positions=run.positions[some], heads=run.heads[some])
                    yield batch_rows(self.schema, part.constants, cut)

    def bad(self, piece: Bad) -> Iterator[pa.RecordBatch]:
        """A row that says what is wrong, where, and how many bytes are given up."""
        if self.options.strict:
            complain(self.part.replica, self.part.name, piece, strict=True)
        row = {
            "records": 0,
            "size": min(piece.size, 2**31 - 1),
            "position": piece.position,
            "problem": piece.reason,
        }
        yield plain_rows(self.schema, self.part.constants, [row])

    def _old(self, message: Message) -> Iterator[pa.RecordBatch]:
        head = message.header
        try:
            inside = messages(message)
        except CorruptBatchError as e:
            yield from self.bad(Bad(message.position, head.size, str(e)))
            return
        last = inside[-1].offset
        if not (last >= self.part.low and inside[0].offset < self.part.high):
            return
        row: Mapping[str, object] = {
            "base_offset": inside[0].offset,
            "last_offset": last,
            "records": len(inside),
            "first_timestamp": inside[0].timestamp,
            "max_timestamp": max(record.timestamp for record in inside),
            "timestamp_type": int(head.timestamp_type),
            "size": head.size,
            "codec": CODEC_NAMES[head.codec],
            "magic": head.magic,
            **dict.fromkeys(("leader_epoch", "producer_id", "producer_epoch", "base_sequence"), -1),
            **dict.fromkeys(("transactional", "control"), False),
            "position": message.position,
        }
        yield plain_rows(self.schema, self.part.constants, [row])


@dataclass
class _Records(_Part):
    """Mode records: a row per record, as a consumer would see it."""

    aborted: dict[int, list[AbortedTxn]] = field(default_factory=dict)
    old: list[Mapping[str, object]] = field(default_factory=list)

    def __post_init__(self) -> None:
        names = self.schema.names
        part, keys, values = self.part, "key" in names, "value" in names
        low, high = max(part.low, self.pruning.low), min(part.high, self.pruning.high)
        self.wanted = WantedRecords(low, high, keys, values)

    def read(self, file: RandomFile, place: Location) -> Iterator[pa.RecordBatch]:
        self._load_aborted(place)
        crc = self.options.check_crc
        found = scan(file, self.part.part, whole=True, crc=crc, torn=True)
        for piece in with_end(found, self.part, file, place):
            if isinstance(piece, Message):
                yield from self._message(piece)
                if len(self.old) < _FEW_ROWS:
                    continue
            if self.old:
                yield self._old_rows()
            if isinstance(piece, BatchRun):
                yield from self._run(piece)
            elif isinstance(piece, Bad):
                yield from self.bad(piece)
        if self.old:
            yield self._old_rows()

    def bad(self, piece: Bad) -> Iterator[pa.RecordBatch]:
        """A row without a record where the column ``problem`` is asked for; else it is said in
        the log. ``strict`` stops."""
        if self.options.strict or "problem" not in self.schema.names:
            complain(self.part.replica, self.part.name, piece, strict=self.options.strict)
            return
        replica = self.part.replica
        where = where_of(replica, self.part.name)
        row = {"problem": f"{where} at byte {piece.position}: {piece.reason}"}
        yield plain_rows(self.schema, self.part.constants, [row])

    def _run(self, run: BatchRun) -> Iterator[pa.RecordBatch]:
        run = overlapping(run, self.wanted.low, self.wanted.high)
        for made in decoded(run, self._visible(run), self.wanted):
            if isinstance(made, Bad):
                yield from self.bad(made)
            else:
                yield record_rows(self.schema, self.part.constants, *made)

    def _visible(self, run: BatchRun) -> npt.NDArray[np.bool_]:
        """Which batches a consumer sees: no control batches, and none of aborted transactions."""
        flags = run.heads["attributes"]
        keep: npt.NDArray[np.bool_] = (flags & CONTROL_FLAG) == 0
        keep &= self.pruning.timely(run.heads)
        if self.aborted:
            for n in np.flatnonzero(keep & ((flags & TRANSACTIONAL_FLAG) != 0)).tolist():
                head = run.heads[n]
                offset = int(head["base_offset"])
                known = self.aborted.get(int(head["producer_id"]), ())
                keep[n] = not any(t.first_offset <= offset <= t.last_offset for t in known)
        return keep

    def _load_aborted(self, place: Location) -> None:
        for offset in self.part.aborted:
            name = segment_file(offset, TXN_INDEX_SUFFIX)
            data = place.read(f"{self.part.replica.path}/{name}", _MOST_TXN_INDEX)
            for txn in read_txn_index(data or b""):
                self.aborted.setdefault(txn.producer_id, []).append(txn)

    def _message(self, message: Message) -> Iterator[pa.RecordBatch]:
        try:
            self.old += message_rows(message, self.wanted)
        except CorruptBatchError as e:
            yield from self.bad(Bad(message.position, message.header.size, str(e)))

    def _old_rows(self) -> pa.RecordBatch:
        rows, self.old = self.old, []
        return plain_rows(self.schema, self.part.constants, rows, keep_missing=True)


def complain(replica: ReplicaDir, name: str, bad: Bad, *, strict: bool) -> None:
    """Where there is no column for damage: CorruptError with ``strict``, else a word in the log."""
    text = f"{where_of(replica, name)}: {bad.reason} at position {bad.position}"
    if strict:
        raise CorruptError(text)
    _log.warning("%s (%d bytes are left out)", text, bad.size)


def where_of(replica: ReplicaDir, name: str) -> str:
    """What messages call a segment."""
    if name.startswith("/") or uris.is_uri(name):
        return uris.shown(name)
    return f"{replica.log_dir}/{replica.path.rpartition('/')[2]}/{name}"
