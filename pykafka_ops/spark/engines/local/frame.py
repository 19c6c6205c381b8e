"""Frames: batches that are made when they are asked for, one after the other.

Names of methods are those of Spark's ``DataFrame``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pykafka_ops.spark.engines.local.column import Column, Literal, Name
from pykafka_ops.spark.engines.local.grouping import (
    BatchRows,
    aggregated,
    flat,
    is_summed,
    numbered,
    outputs_of,
    partly,
    summed,
)
from pykafka_ops.spark.engines.local.tasks import Pieces, TaskRunner, Work, cut, dealt, rows_of

Batches = Callable[[], Iterator[pa.RecordBatch]]
Task = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


class LocalFrame:
    """``batches`` gives all rows, and one batch at least, which says what types they have.

    With a ``runner`` what is dealt to tasks is done where that runs them, row by row and in partial
    sums; all else is done here.
    """

    def __init__(
        self, columns: Sequence[str], batches: Batches, runner: TaskRunner | None = None
    ) -> None:
        self.columns = list(columns)
        self.runner = runner
        self._batches = batches
        self._is_kept = False
        self._table: pa.Table | None = None

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The rows; of a frame that is kept those that were read before."""
        if not self._is_kept:
            return self._batches()
        if self._table is None:
            self._table = pa.Table.from_batches(list(self._batches()))
        return iter(_batches_of(self._table))

    def toArrow(self) -> pa.Table:  # noqa: N802 - Spark's
        """All rows."""
        return pa.Table.from_batches(list(self.batches()))

    def count(self) -> int:
        """How many rows there are."""
        return sum(batch.num_rows for batch in self.batches())

    def persist(self) -> LocalFrame:
        """Read at most once, and keep what was read."""
        self._is_kept = True
        return self

    def unpersist(self) -> None:
        """Let go of what was read."""
        self._is_kept, self._table = False, None

    def select(self, *columns: Column | str) -> LocalFrame:
        """These columns; ``*`` is all there are."""
        every: list[Column | str] = []
        for column in columns:
            is_every = isinstance(column, str) and column == "*"
            every += self.columns if is_every else [column]
        chosen = outputs_of(every)

        def make(batch: pa.RecordBatch) -> pa.RecordBatch:
            place = BatchRows(batch)
            return _batch([c.evaluate(place) for c in chosen], [c.name for c in chosen])

        return self._mapped([c.name for c in chosen], make)

    def where(self, condition: Column | str) -> LocalFrame:
        """The rows for which it is true; a text is the name of a column."""
        holds = Name(condition) if isinstance(condition, str) else condition
        return self._mapped(
            self.columns, lambda batch: batch.filter(holds.evaluate(BatchRows(batch)))
        )

    def withColumn(self, name: str, column: Column) -> LocalFrame:  # noqa: N802 - Spark's
        """With one more column, or another one of that name."""
        made = column.alias(name)
        if name not in self.columns:
            return self.select(*self.columns, made)
        return self.select(*(made if other == name else other for other in self.columns))

    def withColumnRenamed(self, old: str, new: str) -> LocalFrame:  # noqa: N802 - Spark's
        """With another name for a column."""
        return self.select(*(Name(n).alias(new) if n == old else n for n in self.columns))

    def sorted(self, keys: Sequence[str]) -> LocalFrame:
        """The rows in the order of some columns."""
        order = [(key, "ascending") for key in keys]
        return self._made(self.columns, lambda: iter(_batches_of(self.toArrow().sort_by(order))))

    def repartition(self, *_how: object) -> LocalFrame:
        """The frame: all rows are in one place."""
        return self

    def scattered(self, tasks: int) -> LocalFrame:
        """The rows dealt to so many tasks, where there is something that runs them."""
        if self.runner is None:
            return self
        return SpreadFrame(self.columns, self.runner, lambda: cut(self.toArrow(), tasks), rows_of)

    def dealt(self, key: str, rows: int) -> LocalFrame:
        """The rows in tasks of about so many, those with the same ``key`` in one, a task for each
        core at least; where there is something that runs them."""
        runner = self.runner
        if runner is None:
            return self
        return SpreadFrame(
            self.columns,
            runner,
            lambda: dealt(self.toArrow(), key, rows, runner.cores),
            rows_of,
        )

    def _made(self, columns: Sequence[str], batches: Batches) -> LocalFrame:
        return LocalFrame(columns, batches, self.runner)

    def _mapped(
        self, columns: Sequence[str], make: Callable[[pa.RecordBatch], pa.RecordBatch]
    ) -> LocalFrame:
        return self._then(columns, lambda batches: map(make, batches))

    def _then(self, columns: Sequence[str], function: Task) -> LocalFrame:
        """What a function makes of the batches."""
        return self._made(columns, lambda: function(self.batches()))

    def _parts(self, keys: Sequence[str], outputs: Sequence[Column]) -> Batches | None:
        """The rows added up in parts elsewhere, as ``grouping.partly`` has them; None where they
        are added up here."""
        return None

    def mapInArrow(self, function: Task, schema: pa.Schema) -> LocalFrame:  # noqa: N802 - Spark's
        """What the function makes of the batches, which have the types of ``schema``."""

        def made(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            yield pa.RecordBatch.from_pylist([], schema=schema)
            yield from function(batches)

        return self._then(schema.names, made)

    def unionByName(  # noqa: N802 - Spark's
        self,
        other: LocalFrame,
        allowMissingColumns: bool = False,  # noqa: N803 - Spark's
    ) -> LocalFrame:
        """The rows of both; what one of them lacks is null there."""
        names = [*self.columns, *(n for n in other.columns if n not in self.columns)]
        if not allowMissingColumns and set(self.columns) != set(other.columns):
            raise ValueError(f"not the same columns: {self.columns}, {other.columns}")

        def both() -> Iterator[pa.RecordBatch]:
            tables = [
                frame.select(
                    *(n if n in frame.columns else Literal(None).alias(n) for n in names)
                ).toArrow()
                for frame in (self, other)
            ]
            yield from _batches_of(pa.concat_tables(tables, promote_options="permissive"))

        return self._made(names, both)

    def groupBy(self, *keys: Column | str) -> GroupedFrame:  # noqa: N802 - Spark's
        """Rows with the same keys together; null is a key, too."""
        return GroupedFrame(self, outputs_of(keys))

    def distinct(self) -> LocalFrame:
        """Each row once."""
        return self.groupBy(*self.columns).agg()

    def join(self, other: LocalFrame, on: Sequence[str], how: str) -> LocalFrame:
        """Each row with those of ``other`` that have the same values in ``on``, none of them null;
        ``left``: a row without any too, ``full``: also those of ``other``."""
        assert how in ("left", "full")
        more = [name for name in other.columns if name not in on]
        rest = [name for name in self.columns if name not in on]

        def joined() -> Iterator[pa.RecordBatch]:
            here, there = self.toArrow(), other.toArrow()
            left, right = _matched(here, there, on, every=how == "full")
            arrays = [
                pc.coalesce(_taken(here, name, left), _taken(there, name, right)) for name in on
            ]
            arrays += [_taken(here, name, left) for name in rest]
            arrays += [_taken(there, name, right) for name in more]
            yield _batch(arrays, [*on, *rest, *more])

        return self._made([*on, *rest, *more], joined)


class SpreadFrame(LocalFrame):
    """A frame whose rows ``work`` makes of pieces, each in a task of its own. What is done row by
    row is done there, too, and sums are begun there. ``work`` gives a batch at least, also of the
    one piece that stands for none.
    """

    def __init__(
        self, columns: Sequence[str], runner: TaskRunner, pieces: Callable[[], Pieces], work: Work
    ) -> None:
        super().__init__(columns, lambda: runner.run(pieces(), work), runner)
        self._of = runner, pieces, work

    def _then(self, columns: Sequence[str], function: Task) -> LocalFrame:
        """Made by the tasks of what they have, unless all rows are brought here to be kept."""
        if self._is_kept:
            return super()._then(columns, function)
        runner, pieces, work = self._of
        return SpreadFrame(columns, runner, pieces, lambda piece: function(work(piece)))

    def repartition(self, *_how: object) -> LocalFrame:
        """The rows, brought here: those that belong together are in one place."""
        return self._made(self.columns, self.batches)

    def _parts(self, keys: Sequence[str], outputs: Sequence[Column]) -> Batches | None:
        if self._is_kept:
            return None
        names, made = list(keys), list(outputs)
        return self._then([], lambda batches: partly(batches, names, made)).batches


class GroupedFrame:
    """Rows by ``keys``."""

    def __init__(self, frame: LocalFrame, keys: Sequence[Column]) -> None:
        self._frame, self._keys = frame, keys

    def agg(self, *outputs: Column) -> LocalFrame:
        """The keys, and what is made of each group."""
        keys = [key.name for key in self._keys]
        plain = {node.column for column in outputs for node in _names(column)}
        others = [name for name in self._frame.columns if name in plain and name not in keys]
        rows = self._frame.select(*self._keys, *others)

        def made() -> Iterator[pa.RecordBatch]:
            parts = rows._parts(keys, outputs) if is_summed(outputs) else None
            if parts is None:
                return iter(_batches_of(aggregated(rows.batches(), keys, outputs)))
            return iter(_batches_of(summed(parts(), keys, outputs)))

        return self._frame._made([*keys, *(column.name for column in outputs)], made)


def _names(column: Column) -> Iterator[Name]:
    """The columns that an expression looks at."""
    if isinstance(column, Name):
        yield column
    for arg in column.args:
        yield from _names(arg)


def _batches_of(table: pa.Table) -> list[pa.RecordBatch]:
    """The rows of a table in batches, one at least."""
    return table.to_batches() or [pa.RecordBatch.from_pylist([], schema=table.schema)]


def _batch(arrays: Sequence[pa.Array], names: Sequence[str]) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(list(arrays), names=list(names))


def _taken(table: pa.Table, name: str, rows: pa.Array) -> pa.Array:
    return flat(table.column(name)).take(rows)


def _matched(
    here: pa.Table, there: pa.Table, on: Sequence[str], *, every: bool
) -> tuple[pa.Array, pa.Array]:
    """Rows of both that go together, null for none; all of ``here``, and of ``there`` if
    ``every``."""
    keys = [[flat(table.column(name)) for name in on] for table in (here, there)]
    ids, _ = numbered([pa.concat_arrays(both) for both in zip(*keys, strict=True)])
    left, right = ids[: here.num_rows], ids[here.num_rows :]
    order = np.flatnonzero(_known(keys[1]))
    order = order[np.argsort(right[order], kind="stable")]
    first = np.searchsorted(right[order], left, side="left")
    count = np.searchsorted(right[order], left, side="right") - first
    count[~_known(keys[0])] = 0
    lefts = np.repeat(np.arange(len(left)), np.maximum(count, 1))
    begins = np.cumsum(np.maximum(count, 1)) - np.maximum(count, 1)
    places = np.repeat(first - begins, np.maximum(count, 1)) + np.arange(len(lefts))
    is_alone = np.repeat(count == 0, np.maximum(count, 1))
    rights = np.full(len(lefts), -1)
    rights[~is_alone] = order[places[~is_alone]]
    if every:
        alone = np.setdiff1d(np.arange(len(right)), rights)
        lefts = np.concatenate([lefts, np.full(len(alone), -1)])
        rights = np.concatenate([rights, alone])
    return pa.array(lefts, mask=lefts < 0), pa.array(rights, mask=rights < 0)


def _known(columns: Sequence[pa.Array]) -> Any:
    """The rows where no key is null."""
    found = np.ones(len(columns[0]), np.bool_)
    for values in columns:
        found &= pc.is_valid(values).to_numpy(zero_copy_only=False)
    return found
