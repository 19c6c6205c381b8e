"""Expressions over columns, with the meaning that Spark gives them: null is neither true nor false.

Each node is evaluated in a place: the rows of a batch, or the groups of a grouping.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from pykafka_ops.spark.engines.local.types import named_type


class EvaluationPlace(Protocol):
    """Where expressions are evaluated."""

    count: int

    def column(self, name: str) -> pa.Array:
        """The values of a column."""

    def aggregate(self, node: Aggregate) -> pa.Array:
        """A value per group."""


class Column:
    """What ``work`` makes of the values of ``args``; ``name`` is the result's."""

    def __init__(
        self, work: Callable[..., pa.Array] | None, args: Sequence[Column], name: str
    ) -> None:
        self.work, self.args, self.name = work, args, name

    def evaluate(self, place: EvaluationPlace) -> pa.Array:
        """A value for each row, or each group."""
        assert self.work is not None
        return self.work(*(arg.evaluate(place) for arg in self.args))

    def alias(self, name: str) -> Column:
        """The same under another name."""
        return Column(lambda values: values, [self], name)

    def cast(self, kind: str) -> Column:
        """As that type (``bigint``, ``array<bigint>``); fractions are cut off."""
        wanted = named_type(kind)
        return Column(lambda values: cast_to(values, wanted), [self], self.name)

    try_cast = cast
    """Reports ask for it between types of numbers only."""

    def isNull(self) -> Column:  # noqa: N802 - Spark's
        """Whether there is no value."""
        return Column(pc.is_null, [self], self.name)

    def isNotNull(self) -> Column:  # noqa: N802 - Spark's
        """Whether there is a value."""
        return Column(pc.is_valid, [self], self.name)

    def isin(self, *values: Any) -> Column:
        """Whether it is one of some values; null where it is null."""
        listed = values[0] if len(values) == 1 and isinstance(values[0], list) else list(values)

        def among(found: pa.Array) -> pa.Array:
            is_in = pc.is_in(found, value_set=pa.array(listed, found.type))
            return pc.if_else(pc.is_valid(found), is_in, pa.scalar(None, pa.bool_()))

        return Column(among, [self], self.name)

    def _with(self, work: Callable[..., pa.Array], other: Any) -> Column:
        return Column(work, [self, column_of(other)], self.name)

    def _from(self, work: Callable[..., pa.Array], other: Any) -> Column:
        return Column(work, [column_of(other), self], self.name)

    def __add__(self, other: Any) -> Column:
        return self._with(pc.add, other)

    def __sub__(self, other: Any) -> Column:
        return self._with(pc.subtract, other)

    def __rsub__(self, other: Any) -> Column:
        return self._from(pc.subtract, other)

    def __mul__(self, other: Any) -> Column:
        return self._with(pc.multiply, other)

    def __truediv__(self, other: Any) -> Column:
        return self._with(lambda a, b: pc.divide(cast_to(a, pa.float64()), b), other)

    def __lt__(self, other: Any) -> Column:
        return self._with(pc.less, other)

    def __le__(self, other: Any) -> Column:
        return self._with(pc.less_equal, other)

    def __gt__(self, other: Any) -> Column:
        return self._with(pc.greater, other)

    def __ge__(self, other: Any) -> Column:
        return self._with(pc.greater_equal, other)

    def __eq__(self, other: object) -> Column:  # type: ignore[override]
        return self._with(pc.equal, other)

    __hash__ = object.__hash__

    def __and__(self, other: Any) -> Column:
        return self._with(pc.and_kleene, other)

    def __or__(self, other: Any) -> Column:
        return self._with(pc.or_kleene, other)

    def __invert__(self) -> Column:
        return Column(pc.invert, [self], self.name)

    def __bool__(self) -> bool:
        raise TypeError("a column is neither true nor false: use & | ~")


class Name(Column):
    """A column by its name; ``a.b`` is field b of the structs in a."""

    def __init__(self, name: str) -> None:
        self.column, _, self._field = name.partition(".")
        super().__init__(None, [], self._field or name)

    def evaluate(self, place: EvaluationPlace) -> pa.Array:
        """Its values."""
        found = place.column(self.column)
        return pc.struct_field(found, self._field) if self._field else found


class Literal(Column):
    """The same value everywhere."""

    def __init__(self, value: Any) -> None:
        super().__init__(None, [], str(value))
        self._value = pa.scalar(value)

    def evaluate(self, place: EvaluationPlace) -> pa.Array:
        """As often as there are rows."""
        return pa.repeat(self._value, place.count)


class Aggregate(Column):
    """A value per group: ``kind`` says how, of ``args``."""

    def __init__(self, kind: str, args: Sequence[Column], name: str) -> None:
        super().__init__(None, args, name)
        self.kind = kind

    def evaluate(self, place: EvaluationPlace) -> pa.Array:
        """A value for each group."""
        return place.aggregate(self)


class Cases(Column):
    """``when``: the value of the first condition that holds, null where none does."""

    def __init__(self, cases: Sequence[tuple[Column, Column]], last: Column) -> None:
        super().__init__(None, [part for case in cases for part in case] + [last], "when")
        self._cases, self._last = list(cases), last

    def when(self, condition: Column, value: Any) -> Cases:
        """One more case, behind the others."""
        return Cases([*self._cases, (condition, column_of(value))], self._last)

    def otherwise(self, value: Any) -> Cases:
        """The value where no condition holds."""
        return Cases(self._cases, column_of(value))

    def evaluate(self, place: EvaluationPlace) -> pa.Array:
        """The last case first, each over what is below it."""
        found = self._last.evaluate(place)
        for condition, value in reversed(self._cases):
            holds = pc.fill_null(condition.evaluate(place), False)
            found = pc.if_else(holds, *alike(value.evaluate(place), found))
        return found


def column_of(value: Any) -> Column:
    """An expression as it is, anything else as a value."""
    return value if isinstance(value, Column) else Literal(value)


def named(value: Any) -> Column:
    """An expression as it is, a text as the name of a column."""
    return Name(value) if isinstance(value, str) else column_of(value)


def cast_to(values: pa.Array, kind: pa.DataType) -> pa.Array:
    """The values as another type."""
    return values if values.type == kind else pc.cast(values, kind, safe=False)


def alike(*arrays: pa.Array) -> list[pa.Array]:
    """The arrays as the one type that takes all their values."""
    kinds = [a.type for a in arrays if not pa.types.is_null(a.type)]
    if not kinds:
        return list(arrays)
    kind = kinds[0]
    if any(other != kind for other in kinds):
        is_real = any(pa.types.is_floating(k) for k in kinds)
        kind = pa.float64() if is_real else pa.int64()
    return [cast_to(a, kind) for a in arrays]
