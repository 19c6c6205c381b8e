"""Work that is dealt to tasks which run elsewhere: what it is cut into, and who runs it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import pyarrow as pa

Pieces = Sequence[Any]
"""What tasks get, each one of them; can be pickled."""
Work = Callable[[Any], Iterator[pa.RecordBatch]]
"""What a task does with its piece; can be pickled by value."""


class TaskRunner(Protocol):
    """``cores`` tasks run at a time."""

    cores: int

    def run(self, pieces: Pieces, work: Work) -> Iterator[pa.RecordBatch]:
        """What ``work`` makes of the pieces, in their order."""


def cut(table: pa.Table, tasks: int) -> list[bytes]:
    """The rows in so many pieces at most, one at least; for ``rows_of``."""
    size = -(-table.num_rows // max(1, tasks))
    starts = range(0, table.num_rows, size) if size else (0,)
    return [_packed(table.slice(start, size)) for start in starts]


def dealt(table: pa.Table, key: str, rows: int, least: int) -> list[bytes]:
    """The rows in pieces of about so many, ``least`` of them if there are as many keys; rows with
    the same ``key`` are in one."""
    coded = table.column(key).combine_chunks().dictionary_encode(null_encoding="encode")
    count = max(1, min(len(coded.dictionary), max(least, -(-table.num_rows // rows))))
    places = coded.indices.to_numpy(zero_copy_only=False) % count
    return [_packed(table.filter(pa.array(places == n))) for n in range(count)]


def rows_of(piece: bytes) -> Iterator[pa.RecordBatch]:
    """The rows of a piece, in one batch at least."""
    return unpacked(piece)


def packed(batches: Iterator[pa.RecordBatch]) -> bytes:
    """Batches of one type, one at least, as Arrow's stream."""
    first = next(batches)
    out = pa.BufferOutputStream()
    with pa.ipc.new_stream(out, first.schema) as stream:
        stream.write_batch(first)
        for batch in batches:
            stream.write_batch(batch)
    found: bytes = out.getvalue().to_pybytes()
    return found


def unpacked(data: bytes) -> Iterator[pa.RecordBatch]:
    """What was packed."""
    yield from pa.ipc.open_stream(data)


def _packed(table: pa.Table) -> bytes:
    empty = pa.RecordBatch.from_pylist([], schema=table.schema)
    return packed(iter(table.to_batches() or [empty]))
