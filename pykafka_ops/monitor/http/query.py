"""Rows as a query asks for them: searched, filtered, sorted, cut. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

MOST_ROWS: Final = 10_000
ROWS: Final = 1_000
OWN: Final = ("search", "sort", "limit", "offset")
"""Words of a query that are no field."""
Row = Mapping[str, Any]


T = TypeVar("T")


class Listing(NamedTuple, Generic[T]):
    """The part asked for, of ``total`` that fit; ``following`` is the offset of the rest."""

    total: int
    following: int | None
    rows: Sequence[T]


def listing(params: Mapping[str, str], rows: Iterable[Row], limit: int = ROWS) -> Listing[Row]:
    """``search`` in any text, ``FIELD=VALUE`` (``!VALUE``: not that), ``sort`` (``-FIELD``: the
    greatest first; what is not known last), ``limit``, ``offset``. ValueError with one line."""
    found = [row for row in rows if _is_wanted(params, row)]
    sort = params.get("sort", "")
    key = sort.removeprefix("-")
    if key:
        known = [row for row in found if row.get(key) is not None]
        if not all(key in row for row in found) or any(
            isinstance(row[key], dict | list) for row in known
        ):
            raise ValueError(f"sort={key[:40]}: rows cannot be sorted by this")
        known.sort(key=lambda row: row[key], reverse=sort.startswith("-"))
        found = known + [row for row in found if row.get(key) is None]
    return _cut(params, found, limit)


def _cut(params: Mapping[str, str], found: Sequence[T], limit: int) -> Listing[T]:
    start = whole(params, "offset", 0, 1 << 31)
    most = whole(params, "limit", limit, MOST_ROWS)
    more = start + most if start + most < len(found) else None
    return Listing(len(found), more, found[start : start + most])


class RowColumns(Protocol):
    """A table of many rows as columns by the name of a field, in the order of its rows;
    ``texts`` are those that ``search`` looks into."""

    def __len__(self) -> int: ...

    def __contains__(self, name: object) -> bool: ...

    def __getitem__(self, name: str) -> Sequence[Any]: ...

    @property
    def texts(self) -> Sequence[Sequence[Any]]: ...


def chosen(params: Mapping[str, str], columns: RowColumns, limit: int = ROWS) -> Listing[int]:
    """As ``listing``, for rows that are not made before they are wanted: their numbers."""
    found: Sequence[int] = range(len(columns))
    for key, value in params.items():
        if key == "search":
            fits = _searched(columns.texts, value.lower())
            found = [row for row in found if row in fits]
        elif key in columns:
            column = columns[key]
            wanted, negated = value.removeprefix("!"), value.startswith("!")
            found = [row for row in found if (_text(column[row]) == wanted) is not negated]
        elif key not in OWN:
            raise ValueError(_no_field(key))
    sort = params.get("sort", "")
    key = sort.removeprefix("-")
    if key:
        if key not in columns:
            raise ValueError(f"sort={key[:40]}: rows cannot be sorted by this")
        column = columns[key]
        unknown: list[int] = []
        if None in column:
            unknown = [row for row in found if column[row] is None]
            found = [row for row in found if column[row] is not None]
        known = sorted(found, key=column.__getitem__, reverse=sort.startswith("-"))
        found = [*known, *unknown]
    return _cut(params, found, limit)


def _searched(texts: Iterable[Sequence[Any]], wanted: str) -> frozenset[int]:
    """The rows that have a text in one of their columns."""
    return frozenset(
        row
        for column in texts
        for row, text in enumerate(column)
        if text is not None and wanted in text.lower()
    )


def whole(params: Mapping[str, str], name: str, otherwise: int, most: int) -> int:
    """A whole number of the query, from 0 to ``most``. ValueError with one line."""
    text = params.get(name)
    if text is None:
        return otherwise
    if not (text.isascii() and text.isdigit() and len(text) < 18 and int(text) <= most):
        raise ValueError(f"{name}={text[:40]!r}: write a whole number up to {most}")
    return int(text)


def _is_wanted(params: Mapping[str, str], row: Row) -> bool:
    for key, value in params.items():
        if key == "search":
            texts = [v for v in row.values() if isinstance(v, str)]
            if not any(value.lower() in text.lower() for text in texts):
                return False
        elif key in row:
            wanted, negated = value.removeprefix("!"), value.startswith("!")
            if (_text(row[key]) == wanted) is negated:
                return False
        elif key not in OWN:
            raise ValueError(_no_field(key))
    return True


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _no_field(key: str) -> str:
    return f"{key[:40]} is neither a field nor {', '.join(OWN)}"
