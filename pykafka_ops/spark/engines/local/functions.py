"""The functions of ``pyspark.sql.functions`` that reports use, under the same names."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pykafka_ops.spark.engines.local.column import (
    Aggregate,
    Cases,
    Column,
    Literal,
    Name,
    alike,
    column_of,
    named,
)
from pykafka_ops.spark.engines.local.xxh64 import xxh64


def col(name: str) -> Column:
    """A column by its name."""
    return Name(name)


def lit(value: Any) -> Column:
    """The same value everywhere."""
    return Literal(value)


def when(condition: Column, value: Any) -> Cases:
    """The value where the condition holds; ``when`` and ``otherwise`` go on."""
    return Cases([(condition, column_of(value))], Literal(None))


def coalesce(*columns: Column | str) -> Column:
    """The first value that is not null."""
    return Column(lambda *a: pc.coalesce(*alike(*a)), [named(c) for c in columns], "coalesce")


def concat(*columns: Column | str) -> Column:
    """Texts one behind the other; null where one of them is."""
    return Column(
        lambda *a: pc.binary_join_element_wise(*a, ""), [named(c) for c in columns], "concat"
    )


def struct(*columns: Column | str) -> Column:
    """A struct of these columns, under their names."""
    args = [named(c) for c in columns]
    names = [arg.name for arg in args]
    return Column(lambda *a: pa.StructArray.from_arrays(a, names), args, "struct")


def array(*columns: Column | str) -> Column:
    """A list of the values of these columns."""

    def lists(*values: pa.Array) -> pa.Array:
        rows, width = len(values[0]), len(values)
        order = np.arange(rows * width).reshape(width, rows).T.ravel()
        joined = pa.concat_arrays(list(alike(*values))).take(pa.array(order))
        offsets = pa.array(np.arange(rows + 1, dtype=np.int32) * width)
        return pa.ListArray.from_arrays(offsets, joined)

    return Column(lists, [named(c) for c in columns], "array")


def unix_millis(column: Column | str) -> Column:
    """ms since 1970 of a timestamp."""

    def millis(values: pa.Array) -> pa.Array:
        micros = values.cast(pa.int64())
        return pc.divide(pc.subtract(micros, _modulo(micros, pa.scalar(1000))), 1000)

    return Column(millis, [named(column)], "unix_millis")


def floor(column: Column | str) -> Column:
    """The next whole number downwards."""
    return Column(lambda a: pc.floor(a).cast(pa.int64()), [named(column)], "floor")


def pmod(column: Column | str, divisor: Column) -> Column:
    """What is left after division, never negative."""
    return Column(_modulo, [named(column), divisor], "pmod")


def _modulo(values: pa.Array, divisor: Any) -> pa.Array:
    left = pc.subtract(values, pc.multiply(pc.divide(values, divisor), divisor))
    return pc.if_else(pc.less(left, 0), pc.add(left, divisor), left)


def round(column: Column, scale: int = 0) -> Column:  # noqa: A001 - Spark's
    """To so many digits, halves away from zero."""

    def rounded(values: pa.Array) -> pa.Array:
        return pc.round(values, scale, "half_towards_infinity")

    return Column(rounded, [column], "round")


def substring(column: Column | str, start: int, length: int) -> Column:
    """``length`` bytes from ``start`` (1: the first) on."""

    def piece(values: pa.Array) -> pa.Array:
        return pc.binary_slice(values, start - 1, start - 1 + length)

    return Column(piece, [named(column)], "substring")


def xxhash64(column: Column | str) -> Column:
    """Spark's hash of bytes: XXH64 with seed 42; of null the seed."""
    return Column(xxh64, [named(column)], "xxhash64")


def size(column: Column | str) -> Column:
    """How long lists are."""
    return Column(pc.list_value_length, [named(column)], "size")


def sort_array(column: Column) -> Column:
    """Each list in order."""

    def ordered(values: pa.Array) -> pa.Array:
        return pa.array([None if v is None else sorted(v) for v in values.to_pylist()], values.type)

    return Column(ordered, [column], "sort_array")


def array_min(column: Column | str) -> Column:
    """The least of each list; null where there is none."""

    def least(values: pa.Array) -> pa.Array:
        found = [builtins.min(v) if v else None for v in values.to_pylist()]
        return pa.array(found, values.type.value_type)

    return Column(least, [named(column)], "array_min")


def broadcast(frame: Any) -> Any:
    """The frame: nothing has to be sent anywhere."""
    return frame


def sum(column: Column | str) -> Column:  # noqa: A001 - Spark's
    """The sum of a group; null where it has no value."""
    return Aggregate("sum", [named(column)], "sum")


def min(column: Column | str) -> Column:  # noqa: A001 - Spark's
    """The least value of a group."""
    return Aggregate("min", [named(column)], "min")


def max(column: Column | str) -> Column:  # noqa: A001 - Spark's
    """The greatest value of a group."""
    return Aggregate("max", [named(column)], "max")


def count(_every: str) -> Column:
    """How many rows a group has."""
    return Aggregate("sum", [Literal(1)], "count")


def countDistinct(column: Column | str) -> Column:  # noqa: N802 - Spark's
    """How many different values a group has."""
    return Aggregate("count_distinct", [named(column)], "count")


def collect_list(column: Column | str) -> Column:
    """The values of a group."""
    return Aggregate("collect_list", [named(column)], "collect_list")


def collect_set(column: Column | str) -> Column:
    """The different values of a group."""
    return Aggregate("collect_set", [named(column)], "collect_set")


def max_by(column: Column | str, by: Column | str) -> Column:
    """The value where another one is greatest."""
    return Aggregate("max_by", [named(column), named(by)], "max_by")
