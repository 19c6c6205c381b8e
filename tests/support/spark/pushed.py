"""Filters as Spark hands them to a source, drawn by Hypothesis, and judged by SQL's rules."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st
from pyspark.sql import datasource as f
from pyspark.sql.datasource import DataSourceReader


def moments(first: int, last: int) -> st.SearchStrategy[datetime]:
    """Times between some ms, and a little off them."""
    zero = datetime(1970, 1, 1, tzinfo=UTC)
    return st.integers(first, last).map(
        lambda ms: zero + timedelta(milliseconds=ms, microseconds=ms % 3)
    )


BOUNDS = (f.EqualTo, f.GreaterThan, f.GreaterThanOrEqual, f.LessThan, f.LessThanOrEqual)


@st.composite
def filters(draw: st.DrawFn, values: Mapping[str, st.SearchStrategy[Any]]) -> list[f.Filter]:
    """What Spark hands over for some ``WHERE`` on columns that have such values."""
    names = draw(st.lists(st.sampled_from(sorted(values)), max_size=3))
    made = [draw(_filter(name, values[name])) for name in names]
    return [f.Not(one) if draw(st.booleans()) else one for one in made]


def _filter(name: str, value: st.SearchStrategy[Any]) -> st.SearchStrategy[f.Filter]:
    path = (name,)
    texts = [f.StringStartsWith, f.StringEndsWith, f.StringContains] if name == "topic" else []
    kinds: list[Any] = [
        st.sampled_from(BOUNDS).flatmap(lambda kind: value.map(lambda v: kind(path, v))),
        st.lists(st.one_of(value, st.none()), max_size=3).map(lambda v: f.In(path, tuple(v))),
        value.map(lambda v: f.EqualNullSafe(path, v)),
        st.sampled_from([f.IsNull(path), f.IsNotNull(path), f.EqualNullSafe(path, None)]),
        *[st.just(kind(path, "a")) for kind in texts],
    ]
    return st.one_of(kinds)


Rows = list[dict[str, Any]]


def rows(made: DataSourceReader) -> Rows:
    """Everything that Spark gets."""
    return [
        row for task in made.partitions() for batch in made.read(task) for row in batch.to_pylist()
    ]


def judged(one: f.Filter, row: dict[str, Any]) -> bool:
    """A filter by SQL's rules, spelt out."""
    if isinstance(one, f.Not):
        return _judged(one.child, row) is False
    return _judged(one, row) is True


def _judged(one: Any, row: dict[str, Any]) -> bool | None:
    have = row[one.attribute[0]]
    if isinstance(one, (f.IsNull, f.IsNotNull)):
        return (have is None) == isinstance(one, f.IsNull)
    if isinstance(one, f.EqualNullSafe):
        return bool(have == one.value)
    if have is None:
        return None
    if isinstance(one, f.In):
        return True if have in one.value else None if None in one.value else False
    tests: dict[type[f.Filter], Any] = {
        f.EqualTo: lambda: have == one.value,
        f.GreaterThan: lambda: have > one.value,
        f.GreaterThanOrEqual: lambda: have >= one.value,
        f.LessThan: lambda: have < one.value,
        f.LessThanOrEqual: lambda: have <= one.value,
        f.StringStartsWith: lambda: have.startswith(one.value),
        f.StringEndsWith: lambda: have.endswith(one.value),
        f.StringContains: lambda: one.value in have,
    }
    return bool(tests[type(one)]())


def met(every: Rows, wanted: list[f.Filter]) -> list[str]:
    """The rows that meet all filters, as texts in an order of their own."""
    return sorted(
        repr(sorted(row.items())) for row in every if all(judged(one, row) for one in wanted)
    )
