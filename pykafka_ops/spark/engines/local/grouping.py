"""Rows put together by keys, and what is made of each group.

Sums, minima and maxima are taken from some rows at a time, so that memory is bounded by the number
of groups; lists need all rows at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pykafka_ops.spark.engines.local.column import Aggregate, Column, named

ROWS: Final = 1 << 17
"""Rows that are added up together."""
Ints = npt.NDArray[np.int64]


class BatchRows:
    """The rows of a batch, where expressions are evaluated."""

    def __init__(self, batch: pa.RecordBatch | pa.Table) -> None:
        self._batch, self.count = batch, batch.num_rows

    def column(self, name: str) -> pa.Array:
        """The values of a column."""
        found = self._batch.column(name)
        return flat(found) if isinstance(found, pa.ChunkedArray) else found

    def aggregate(self, node: Aggregate) -> pa.Array:
        """There is none of rows."""
        raise TypeError(f"{node.kind} is for groups")


class _Groups:
    """The groups, where expressions over their values are evaluated."""

    def __init__(self, table: pa.Table, made: Mapping[Aggregate, str]) -> None:
        self._table, self._made, self.count = table, made, table.num_rows

    def column(self, name: str) -> pa.Array:
        """The values of a key."""
        return flat(self._table.column(name))

    def aggregate(self, node: Aggregate) -> pa.Array:
        """A value per group."""
        return flat(self._table.column(self._made[node]))


def flat(values: pa.ChunkedArray) -> pa.Array:
    """All chunks as one."""
    if values.num_chunks == 1:
        return values.chunk(0)
    return pa.concat_arrays(values.chunks) if values.num_chunks else pa.array([], values.type)


def aggregated(
    batches: Iterable[pa.RecordBatch], keys: Sequence[str], outputs: Sequence[Column]
) -> pa.Table:
    """The keys and ``outputs`` of each group of rows with the same keys; null is a key, too."""
    return _finished(_held(batches, keys, outputs), keys, outputs)


def is_summed(outputs: Sequence[Column]) -> bool:
    """Whether they can be made of what was made of some rows each."""
    return all(node.kind in _MERGED for node in _distinct_nodes(outputs))


def partly(
    batches: Iterable[pa.RecordBatch], keys: Sequence[str], outputs: Sequence[Column]
) -> Iterator[pa.RecordBatch]:
    """What ``summed`` makes the groups of: a row per group of these rows, one batch at least."""
    held = _held(batches, keys, outputs)
    yield from held.to_batches() or [pa.RecordBatch.from_pylist([], schema=held.schema)]


def summed(
    parts: Iterable[pa.RecordBatch], keys: Sequence[str], outputs: Sequence[Column]
) -> pa.Table:
    """What ``aggregated`` makes of all the rows that ``partly`` saw."""
    held = _reduced(pa.Table.from_batches(parts), keys, _kinds(outputs))
    return _finished(held, keys, outputs)


def _held(
    batches: Iterable[pa.RecordBatch], keys: Sequence[str], outputs: Sequence[Column]
) -> pa.Table:
    """A row per group: its keys, and under their numbers the aggregates that outputs need."""
    kinds = _kinds(outputs)
    held: pa.Table | None = None
    for some in _chunks(batches, ROWS if is_summed(outputs) else None):
        place = BatchRows(some)
        columns = {key: place.column(key) for key in keys}
        for n, node in enumerate(_distinct_nodes(outputs)):
            columns[f"{n}"], *by = (arg.evaluate(place) for arg in node.args)
            columns |= {f"{n}.by": order for order in by}
        found = _reduced(pa.table(columns), keys, kinds)
        if held is not None:
            found = _reduced(pa.concat_tables([held, found]), keys, kinds)
        held = found
    assert held is not None
    return held


def _finished(held: pa.Table, keys: Sequence[str], outputs: Sequence[Column]) -> pa.Table:
    groups = _Groups(held, {node: f"{n}" for n, node in enumerate(_distinct_nodes(outputs))})
    arrays = [groups.column(key) for key in keys] + [c.evaluate(groups) for c in outputs]
    return pa.table(arrays, names=[*keys, *(column.name for column in outputs)])


def _kinds(outputs: Sequence[Column]) -> dict[str, str]:
    return {f"{n}": node.kind for n, node in enumerate(_distinct_nodes(outputs))}


def _distinct_nodes(outputs: Sequence[Column]) -> list[Aggregate]:
    return list(dict.fromkeys(node for column in outputs for node in _nodes(column)))


def _nodes(column: Column) -> Iterator[Aggregate]:
    if isinstance(column, Aggregate):
        yield column
        return
    for arg in column.args:
        yield from _nodes(arg)


def _chunks(batches: Iterable[pa.RecordBatch], most: int | None) -> Iterator[pa.Table]:
    """Batches put together, up to about ``most`` rows, or all; one at least."""
    held: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        if most is not None and rows >= most:
            yield pa.Table.from_batches(held)
            held, rows = [], 0
    if held:
        yield pa.Table.from_batches(held)


def numbered(columns: Sequence[pa.Array]) -> tuple[Ints, Ints]:
    """The number of each row's group, and of each group the first row; rows with the same values
    are a group."""
    ids = np.zeros(len(columns[0]), np.int64)
    firsts = np.zeros(min(1, len(ids)), np.int64)
    for values in columns:
        coded = values.dictionary_encode(null_encoding="encode")
        codes = coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        pairs = ids * max(1, len(coded.dictionary)) + codes
        _, firsts, ids = np.unique(pairs, return_index=True, return_inverse=True)
    return ids, firsts


def _reduced(table: pa.Table, keys: Sequence[str], kinds: Mapping[str, str]) -> pa.Table:
    """A row per group: its keys, and each column reduced as ``kinds`` says."""
    place = BatchRows(table)
    ids, firsts = numbered([place.column(key) for key in keys])
    first_rows = pa.array(firsts)
    made = {key: place.column(key).take(first_rows) for key in keys}
    for name, kind in kinds.items():
        values = place.column(name)
        if kind == "max_by":
            by = place.column(f"{name}.by")
            made[name] = _max_by(values, by, ids, len(firsts))
            made[f"{name}.by"] = _REDUCE["max"](by, ids, len(firsts))
        else:
            made[name] = _REDUCE[kind](values, ids, len(firsts))
    return pa.table(made)


def _sorted(values: pa.Array, ids: Ints) -> tuple[pa.Array, Ints]:
    """The values that are there, group by group, each group's in their order; their groups."""
    rows = np.flatnonzero(pc.is_valid(values).to_numpy(zero_copy_only=False))
    order = rows[np.argsort(ids[rows], kind="stable")]
    return values.take(pa.array(order)), ids[order]


def _by(
    work: Callable[[npt.NDArray[Any], Any], npt.NDArray[Any]],
) -> Callable[[pa.Array, Ints, int], pa.Array]:
    """Numbers, truths and texts (these by their order) of each group made one by a ufunc."""

    def reduce(values: pa.Array, ids: Ints, groups: int) -> pa.Array:
        there, owners = _sorted(values, ids)
        kind, texts = values.type, None
        if pa.types.is_string(kind):
            coded = there.dictionary_encode()
            texts = coded.dictionary.take(pc.array_sort_indices(coded.dictionary))
            there = pc.index_in(there, value_set=texts)
        plain = there.to_numpy(zero_copy_only=False)
        if work is np.add.reduceat and pa.types.is_integer(kind):
            plain, kind = plain.astype(np.int64), pa.int64()
        starts = np.flatnonzero(np.diff(owners, prepend=-1))
        made = work(plain, starts) if len(starts) else plain
        places = np.full(groups, -1, np.int64)
        places[owners[starts]] = np.arange(len(starts))
        found = pa.array(made)
        if texts is not None:
            found = texts.take(found)
        missing = pa.array(places, mask=places < 0)
        return found.cast(kind).take(missing)

    return reduce


def _max_by(values: pa.Array, by: pa.Array, ids: Ints, groups: int) -> pa.Array:
    order = np.lexsort((pc.fill_null(by, -(2**63)).to_numpy(zero_copy_only=False), ids))
    lasts = np.searchsorted(ids[order], np.arange(groups), side="right") - 1
    return values.take(pa.array(order[lasts]))


def _lists(values: pa.Array, ids: Ints, groups: int) -> pa.Array:
    there, owners = _sorted(values, ids)
    offsets = np.searchsorted(owners, np.arange(groups + 1)).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), there)


def _sets(values: pa.Array, ids: Ints, groups: int) -> pa.Array:
    there, owners = _sorted(values, ids)
    rows = []
    for _, group in groupby(zip(owners.tolist(), there.to_pylist(), strict=True), lambda x: x[0]):
        rows += list({repr(value): (owner, value) for owner, value in group}.values())
    kinds = pa.array([value for _, value in rows], values.type)
    return _lists(kinds, np.array([owner for owner, _ in rows], np.int64), groups)


def _distinct(values: pa.Array, ids: Ints, groups: int) -> pa.Array:
    there, owners = _sorted(values, ids)
    _, firsts = numbered([pa.array(owners), there])
    return pa.array(np.bincount(owners[firsts], minlength=groups).astype(np.int64))


_REDUCE: Final[Mapping[str, Callable[[pa.Array, Ints, int], pa.Array]]] = {
    "sum": _by(np.add.reduceat),
    "min": _by(np.minimum.reduceat),
    "max": _by(np.maximum.reduceat),
    "collect_list": _lists,
    "collect_set": _sets,
    "count_distinct": _distinct,
}
_MERGED: Final = ("sum", "min", "max", "max_by")
"""What can be made of what was made of some rows each."""


def outputs_of(columns: Iterable[Column | str]) -> list[Column]:
    """Columns by their names, expressions as they are."""
    return [named(column) for column in columns]
