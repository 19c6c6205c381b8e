"""Rows that stay in Arrow behave as a list of dicts."""

from __future__ import annotations

import pyarrow as pa
import pytest

from pykafka_ops.spark.arrow import ArrowRows

PLAIN = [{"name": f"n{i}", "lag": i or None} for i in range(10_000)]
ROWS = ArrowRows(pa.Table.from_pylist(PLAIN))


def test_they_are_counted_indexed_and_gone_through() -> None:
    assert len(ROWS) == 10_000
    assert (ROWS[0], ROWS[-1], ROWS[5000]) == (PLAIN[0], PLAIN[-1], PLAIN[5000])
    assert list(ROWS) == PLAIN
    assert PLAIN[77] in ROWS


def test_slices_are_rows() -> None:
    assert list(ROWS[5:9]) == PLAIN[5:9]
    assert list(ROWS[-3:]) == PLAIN[-3:]
    assert list(ROWS[9:5]) == []
    assert list(ROWS[::4000]) == PLAIN[::4000]


def test_beyond_the_end_is_nothing() -> None:
    with pytest.raises(IndexError):
        ROWS[10_000]
