"""Filters on columns, judged as Spark judges them: of batches of rows, and of single values.

A condition is true, false or, of null, neither (SQL's three values); rows stay where all are true.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

EQUAL, SAME, ABOVE, FROM, BELOW, UP_TO, AMONG, NULL, STARTS, ENDS, CONTAINS = (
    "=", "<=>", ">", ">=", "<", "<=", "in", "null", "starts", "ends", "contains",
)  # fmt: skip
_BOUNDS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    EQUAL: operator.eq,
    ABOVE: operator.gt,
    FROM: operator.ge,
    BELOW: operator.lt,
    UP_TO: operator.le,
}
_ARROW: Final = {
    EQUAL: pc.equal,
    ABOVE: pc.greater,
    FROM: pc.greater_equal,
    BELOW: pc.less,
    UP_TO: pc.less_equal,
}
_TEXT: Final[dict[str, tuple[Callable[[str, str], bool], Callable[..., Any]]]] = {
    STARTS: (str.startswith, pc.starts_with),
    ENDS: (str.endswith, pc.ends_with),
    CONTAINS: (operator.contains, pc.match_substring),
}
_EXACT: Final = (EQUAL, SAME, AMONG, NULL)


@dataclass(frozen=True, slots=True)
class RowCondition:
    """``test`` of a column against ``value``: int, text, bytes, truth, of timestamps microseconds
    since 1970; None for null; of AMONG a tuple of these."""

    column: str
    test: str
    value: Any = None
    negated: bool = False

    def fits(self, kind: pa.DataType) -> bool:
        """Whether it can be judged of a column of that type."""
        if pa.types.is_binary(kind):
            return self.test in _EXACT
        if self.test in _TEXT:
            return bool(pa.types.is_string(kind))
        known = (pa.types.is_string, pa.types.is_int32, pa.types.is_int64, pa.types.is_boolean)
        return pa.types.is_timestamp(kind) or any(is_one(kind) for is_one in known)

    def holds(self, value: Any) -> bool | None:
        """Whether it is true of a value; None where that cannot be said."""
        found = self._holds(value)
        return not found if self.negated and found is not None else found

    def _holds(self, value: Any) -> bool | None:
        if self.test == NULL:
            return value is None
        if self.test == SAME:
            return bool(value == self.value)
        if value is None:
            return None
        if self.test == AMONG:
            return True if value in self.value else None if None in self.value else False
        if self.value is None:
            return None
        if self.test in _TEXT:
            return _TEXT[self.test][0](value, self.value)
        if isinstance(value, str):  # by its bytes, as Spark compares texts
            return _BOUNDS[self.test](value.encode(), self.value.encode())
        return _BOUNDS[self.test](value, self.value)

    def mask(self, column: pa.Array) -> pa.Array:
        """The same of every value of a column, which it ``fits``."""
        found = self._mask(column)
        return pc.invert(found) if self.negated else found

    def _mask(self, column: pa.Array) -> pa.Array:
        kind = column.type
        if self.test == NULL:
            return pc.is_null(column)
        if self.test == SAME:
            if self.value is None:
                return pc.is_null(column)
            return pc.fill_null(pc.equal(column, pa.scalar(self.value, kind)), False)
        if self.test == AMONG:
            values = pa.array([v for v in self.value if v is not None], kind)
            found = pc.is_in(column, value_set=values)
            unknown = pa.scalar(None, pa.bool_())
            if None in self.value:
                found = pc.if_else(found, True, unknown)
            return pc.if_else(pc.is_valid(column), found, unknown)
        if self.test in _TEXT and self.value is not None:
            return _TEXT[self.test][1](column, self.value)
        return _ARROW.get(self.test, pc.equal)(column, pa.scalar(self.value, kind))


class Conditions(tuple[RowCondition, ...]):
    """What all rows must meet."""

    __slots__ = ()

    def kept(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The rows that meet all of them."""
        for one in self:
            if not batch.num_rows:
                break
            batch = batch.filter(one.mask(batch[one.column]))
        return batch

    def allow(self, **values: Any) -> bool:
        """Whether rows with these values in these columns may meet all."""
        return all(one.holds(values[one.column]) for one in self if one.column in values)

    def among(self, column: str) -> frozenset[Any] | None:
        """The only values that rows may have, None where that is open."""
        found: frozenset[Any] | None = None
        for one in self._of(column):
            if one.test == EQUAL or (one.test == SAME and one.value is not None):
                values = frozenset([one.value])
            elif one.test == AMONG:
                values = frozenset(one.value)
            else:
                continue
            found = values if found is None else found & values
        return found

    def least(self, column: str) -> int | None:
        """The least number that rows may have, None where that is open."""
        found = [
            one.value + (one.test == ABOVE) if one.test != AMONG else min(_numbers(one.value))
            for one in self._of(column)
            if one.test in (EQUAL, ABOVE, FROM) or (one.test == AMONG and _numbers(one.value))
        ]
        return max((v for v in found if type(v) is int), default=None)

    def most(self, column: str) -> int | None:
        """The greatest, None where that is open."""
        found = [
            one.value - (one.test == BELOW) if one.test != AMONG else max(_numbers(one.value))
            for one in self._of(column)
            if one.test in (EQUAL, BELOW, UP_TO) or (one.test == AMONG and _numbers(one.value))
        ]
        return min((v for v in found if type(v) is int), default=None)

    def _of(self, column: str) -> Iterator[RowCondition]:
        return (one for one in self if one.column == column and not one.negated)


def _numbers(values: tuple[Any, ...]) -> list[int]:
    return [v for v in values if type(v) is int]
