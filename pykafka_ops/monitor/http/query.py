"""Rows as a query asks for them: searched, filtered, sorted, cut. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

MOST_ROWS: Final = 10_000
ROWS: Final = 1_000
OWN: Final = ("search", "sort", "limit", "offset")
"""Words of a query that are no field."""
Row = Mapping[str, Any]


class Listing(NamedTuple):
    """The part asked for, of ``total`` that fit; ``following`` is the offset of the rest."""

    total: int
    following: int | None
    rows: Sequence[Row]


def listing(params: Mapping[str, str], rows: Iterable[Row], limit: int = ROWS) -> Listing:
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
    start = whole(params, "offset", 0, 1 << 31)
    most = whole(params, "limit", limit, MOST_ROWS)
    more = start + most if start + most < len(found) else None
    return Listing(len(found), more, found[start : start + most])


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
            raise ValueError(f"{key[:40]} is neither a field nor {', '.join(OWN)}")
    return True


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
