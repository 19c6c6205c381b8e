"""Rows that are made only where they are wanted are chosen as all rows are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.monitor.http.query import chosen, listing

NAMES = st.sampled_from(["alpha", "Beta", "gamma", "alphabet"])
ROWS = st.lists(
    st.fixed_dictionaries(
        {"name": NAMES, "lag": st.none() | st.integers(0, 3), "note": st.none() | NAMES}
    ),
    max_size=12,
)
QUERIES = st.fixed_dictionaries(
    {},
    optional={
        "sort": st.sampled_from(["lag", "-lag", "name", "-name", "-note"]),
        "search": st.sampled_from(["alpha", "BETA", "m", "nothing"]),
        "lag": st.sampled_from(["1", "!1", "None"]),
        "name": st.sampled_from(["alpha", "!gamma"]),
        "offset": st.sampled_from(["0", "2", "50"]),
        "limit": st.sampled_from(["0", "3"]),
    },
)


class Table:
    """Rows as columns, those asked for noted."""

    def __init__(self, rows: Sequence[dict[str, Any]]) -> None:
        self.rows = rows
        self.made: list[str] = []

    def __len__(self) -> int:
        return len(self.rows)

    def __contains__(self, name: object) -> bool:
        return name in ("name", "lag", "note")

    def __getitem__(self, name: str) -> list[Any]:
        self.made.append(name)
        return [row[name] for row in self.rows]

    @property
    def texts(self) -> list[list[Any]]:
        return [self["name"], self["note"]]


@given(ROWS, QUERIES)
def test_columns_are_searched_filtered_sorted_and_cut_as_rows_are(
    rows: list[dict[str, Any]], query: dict[str, str]
) -> None:
    table = Table(rows)
    found = chosen(query, table, 5)
    assert found._replace(rows=[rows[n] for n in found.rows]) == listing(query, rows, 5)


def test_only_columns_that_are_asked_for_are_made() -> None:
    table = Table([{"name": "a", "lag": 1, "note": None}])
    chosen({"offset": "0"}, table)
    assert table.made == []
    chosen({"sort": "-lag"}, table)
    assert table.made == ["lag"]


@pytest.mark.parametrize(
    ("query", "said"), [({"sort": "-colour"}, "sort=colour"), ({"colour": "red"}, "colour is")]
)
def test_a_column_that_is_not_there_is_named(query: dict[str, str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        chosen(query, Table([]))
