"""Rows turned into columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pyspark.sql.types import StructType

Columns = dict[str, list[Any]]


def columns_of(schema: StructType, rows: Iterable[Sequence[Any]]) -> Columns:
    """One list per column of ``schema``, whose order the rows have."""
    found = list(rows)
    by_column: list[Any] = list(zip(*found, strict=True)) if found else [()] * len(schema.names)
    return {name: list(c) for name, c in zip(schema.names, by_column, strict=True)}
