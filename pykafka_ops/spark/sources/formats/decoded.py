"""Readers whose keys and values are typed columns instead of bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa

from pykafka_ops.errors import DeserializeError
from pykafka_ops.spark.arrow import assembled
from pykafka_ops.spark.sources.formats.codec import ValueCodec

if TYPE_CHECKING:
    from pykafka_ops.spark.sources.conditions import Conditions
    from pykafka_ops.spark.sources.filtered import FilteredReader

_PLACE: Final = ("topic", "partition", "offset")


class Decoding(NamedTuple):
    """``column`` is key or value; ``failfast``: the first record that is not of ``name`` ends the
    query."""

    column: str
    name: str
    codec: ValueCodec
    failfast: bool

    @property
    def error(self) -> str:
        """The column that says why there is no value."""
        return f"{self.column}_error"

    @property
    def raw(self) -> str:
        """The column of the bytes."""
        return f"raw_{self.column}"


class Decoded:
    """From batches of ``read`` to batches of ``columns``."""

    def __init__(
        self, decodings: Sequence[Decoding], columns: pa.Schema, records: pa.Schema
    ) -> None:
        self.columns, self._decodings = columns, list(decodings)
        self._of = {name: one for one in decodings for name in (one.column, one.error, one.raw)}
        wanted = [self._of[n].column if n in self._of else n for n in columns.names]
        if any(one.failfast and one.column in wanted for one in decodings):
            wanted += _PLACE
        plain = {f.name: f for f in columns if f.name not in self._of}
        names = list(dict.fromkeys(wanted))
        self.read = pa.schema([plain.get(name, records.field(name)) for name in names])
        self.judged = pa.schema(list(plain.values()))

    def every(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Batch by batch."""
        return map(self.of, batches)

    def of(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """One batch; DeserializeError names the record that ends a query."""
        made: dict[str, pa.Array] = {}
        for one in self._decodings:
            if one.column in self.columns.names or one.error in self.columns.names:
                made |= self._decode(one, batch)
            if one.raw in self.columns.names:
                made[one.raw] = batch[one.column]
        arrays = [made[n] if n in made else batch[n] for n in self.columns.names]
        return assembled(self.columns, arrays, batch.num_rows)

    def _decode(self, one: Decoding, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        values: list[Any] = []
        errors: list[str | None] = []
        for data in batch[one.column].to_pylist():
            value, error = None, None
            if data is not None:
                try:
                    value = one.codec.read(data)
                except DeserializeError as e:
                    error = str(e)
            values.append(value)
            errors.append(error)
        made = {}
        if one.column in self.columns.names:
            kind = self.columns.field(one.column).type
            made[one.column] = _array(values, errors, kind)
        if one.failfast:
            _check(one, batch, errors)
        made[one.error] = pa.array(errors, pa.string())
        return made


def _array(values: list[Any], errors: list[str | None], kind: pa.DataType) -> pa.Array:
    """The values; one that the type cannot hold is an error of its record."""
    try:
        return pa.array(values, kind)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        for n, value in enumerate(values):
            try:
                pa.array([value], kind)
            except (pa.ArrowException, OverflowError, TypeError, ValueError) as e:
                values[n], errors[n] = None, " ".join(str(e).split())
        return pa.array(values, kind)


def _check(one: Decoding, batch: pa.RecordBatch, errors: list[str | None]) -> None:
    for n, error in enumerate(errors):
        if error is not None:
            topic, partition, offset = (batch[name][n].as_py() for name in _PLACE)
            raise DeserializeError(
                f"{topic}-{partition}, offset {offset}: the {one.column} is not {one.name}: "
                f"{error} (decode_mode=permissive goes on)"
            )


class DecodedReader:
    """As ``TaskReader``."""

    def __init__(self, make: Callable[[pa.Schema], FilteredReader], decoded: Decoded) -> None:
        self._decoded, self.columns = decoded, decoded.columns
        self.inner = make(decoded.read)
        self.judged = decoded.judged

    def narrow(self, conditions: Conditions) -> None:
        """Only rows that meet these, which are on columns that are not decoded."""
        self.inner.narrow(conditions)

    def partitions(self) -> Sequence[Any]:
        """Tasks, as those of the reader beneath."""
        return self.inner.partitions()

    def read(self, task: Any) -> Iterator[pa.RecordBatch]:
        """The rows of one task, decoded."""
        return self._decoded.every(self.inner.read(task))
