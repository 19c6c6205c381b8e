"""From batches of ``__consumer_offsets`` to the commits that hold.

As the coordinator when it loads: a plain commit holds at once, one inside a transaction when the
transaction's marker says so (GroupMetadataManager.doLoadGroupsAndOffsets).
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any, Final

import numpy as np
import pyarrow as pa

from pykafka_ops.disk.batch import CONTROL_FLAG, TRANSACTIONAL_FLAG, BatchHeader
from pykafka_ops.disk.control import ControlType, control_type_id
from pykafka_ops.disk.record import Record, iter_records
from pykafka_ops.errors import CorruptBatchError, CorruptError
from pykafka_ops.spark.arrow import assembled
from pykafka_ops.spark.decode.commits import CommitDecoder, Records
from pykafka_ops.spark.decode.records import WantedRecords
from pykafka_ops.spark.sources.conditions import Conditions
from pykafka_ops.spark.sources.log.pick import decoded, messages
from pykafka_ops.spark.sources.log.scan import Bad, BatchRun, Message, Piece
from pykafka_ops.spark.sources.options import SourceOptions

_MARKER_LIMIT: Final = 1 << 20
Commits = Any
"""A record batch, or ``Bad``."""


class CommitFilter:
    """``groups`` or ``groupsPattern``, ``topics`` or ``topicsPattern``, ``since`` and ``until``
    (ms, both included), ``strict``."""

    def __init__(self, options: SourceOptions) -> None:
        self.options = options
        self.groups: Container[str] = options.names("groups", "groupsPattern")
        self.topics: Container[str] = options.names("topics", "topicsPattern")
        self.since, self.until = options.integer("since"), options.integer("until")
        self.strict = options.flag("strict", default=False)

    def narrow(self, conditions: Conditions) -> None:
        """Decode the commits alone of the groups and topics that they leave."""
        groups, topics = conditions.among("group"), conditions.among("topic")
        if groups is not None:
            self.groups = frozenset(name for name in groups if name in self.groups)
        if topics is not None:
            self.topics = frozenset(name for name in topics if name in self.topics)

    def decoder(self) -> CommitDecoder:
        """A decoder that leaves out what is not wanted."""
        return CommitDecoder(self.groups, self.topics, self.since, self.until)

    @staticmethod
    def cut(made: pa.RecordBatch, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """The columns of ``schema`` of some commits, if there are any."""
        if not made.num_rows:
            return
        yield assembled(schema, [made[name] for name in schema.names], made.num_rows)


class Fold:
    """Takes runs of batches of one partition in their order; ``low`` to below ``high`` are the
    offsets that count."""

    def __init__(
        self, decoder: CommitDecoder, log_partition: int | None, low: int = 0, high: int = 2**63 - 1
    ) -> None:
        self._decoder, self._log_partition = decoder, log_partition
        self._wanted = WantedRecords(low, high)
        self._pending: dict[int, list[pa.RecordBatch]] = {}

    def of(self, piece: Piece) -> Iterator[Commits]:
        """The commits that hold by the end of ``piece``, and what cannot be read."""
        if isinstance(piece, BatchRun):
            yield from self._take(piece)
        elif isinstance(piece, Bad):
            yield piece
        else:
            try:
                yield self._old(piece)
            except CorruptBatchError as error:
                yield Bad(piece.position, piece.header.size, str(error))

    def _take(self, run: BatchRun) -> Iterator[Commits]:
        flags = run.heads["attributes"]
        last = run.heads["base_offset"] + run.heads["last_delta"]
        inside = (last >= self._wanted.low) & (run.heads["base_offset"] < self._wanted.high)
        special = (flags & (TRANSACTIONAL_FLAG | CONTROL_FLAG)) != 0
        yield from self._commits(run, inside & ~special)
        for n in np.flatnonzero(inside & special).tolist():
            if flags[n] & CONTROL_FLAG:
                yield from self._end(run, n)
                continue
            chosen = np.zeros(len(run.heads), np.bool_)
            chosen[n] = True
            for piece in self._commits(run, chosen):
                if isinstance(piece, Bad):
                    yield piece
                elif piece.num_rows:
                    producer = int(run.heads[n]["producer_id"])
                    self._pending.setdefault(producer, []).append(piece)

    def _old(self, message: Message) -> pa.RecordBatch:
        low, high = self._wanted.low, self._wanted.high
        found = [r for r in messages(message) if low <= r.offset < high]
        return self._decoder.decode(
            Records(
                pa.array([r.key for r in found], pa.binary()),
                pa.array([r.value for r in found], pa.binary()),
                np.array([r.offset for r in found], np.int64),
                np.array([r.timestamp for r in found], np.int64),
            ),
            self._log_partition,
        )

    def _commits(self, run: BatchRun, keep: Any) -> Iterator[Commits]:
        for made in decoded(run, keep, self._wanted):
            if isinstance(made, Bad):
                yield made
                continue
            found = made[1]
            records = Records(found.keys, found.values, found.offsets, found.timestamps)
            yield self._decoder.decode(records, self._log_partition)

    def _end(self, run: BatchRun, number: int) -> Iterator[Commits]:
        """A marker: what its producer left pending holds now, or never."""
        position = int(run.positions[number])
        header = BatchHeader._make(run.heads[number].tolist())
        try:
            ended = _marker(run, position - run.begin, header)
        except CorruptError as error:
            yield Bad(position, header.size, str(error))
            return
        if ended not in (ControlType.COMMIT, ControlType.ABORT):
            return
        waiting = self._pending.pop(header.producer_id, [])
        if ended == ControlType.COMMIT:
            yield from waiting


def _marker(run: BatchRun, at: int, header: BatchHeader) -> int:
    """The type of a control batch; CorruptError where it has none."""
    first: Record | None = next(iter_records(run.data, at, header, _MARKER_LIMIT), None)
    return -1 if first is None else control_type_id(first.key)
