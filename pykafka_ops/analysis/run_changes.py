"""What changed between two runs of a report: rows that are new, gone, or have other figures."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Final, Literal

NEW: Final = "new"
GONE: Final = "gone"
CHANGED: Final = "changed"
STATES: Final = (NEW, GONE, CHANGED)
Row = Mapping[str, object]
RowKey = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row by ``key``; ``before`` and ``after`` are its figure (None: not known, or no row).

    ``fields`` are those that differ, with both values.
    """

    key: RowKey
    row: Row
    state: Literal["new", "gone", "changed"]
    before: float | None
    after: float | None
    fields: Sequence[tuple[str, object, object]] = ()

    @property
    def change(self) -> float | None:
        """How much more the figure is; a row that is not there has none of it. None: not known."""
        before = 0 if self.state == NEW else self.before
        after = 0 if self.state == GONE else self.after
        return None if before is None or after is None else after - before


def changes(
    before: Sequence[Row],
    after: Sequence[Row],
    keys: Sequence[str],
    figure: str,
    ignored: Collection[str] = (),
) -> list[RowChange]:
    """The rows of ``before`` and ``after`` that differ, by what identifies them: the largest change
    of ``figure`` first, ahead of them those where it is not known. What differs in ``ignored``
    fields alone (times, ages) is no change."""
    old, new = ({_key(row, keys): row for row in rows} for rows in (before, after))
    found: list[RowChange] = []
    for key, row in new.items():
        if key not in old:
            found.append(RowChange(key, row, NEW, None, number(row.get(figure))))
            continue
        fields = _fields(old[key], row, {*keys, *ignored})
        if fields:
            figures = number(old[key].get(figure)), number(row.get(figure))
            found.append(RowChange(key, row, CHANGED, *figures, fields))
    found += [
        RowChange(key, row, GONE, number(row.get(figure)), None)
        for key, row in old.items()
        if key not in new
    ]
    return sorted(found, key=lambda c: (c.change is not None, -abs(c.change or 0), c.key))


def _key(row: Row, keys: Sequence[str]) -> RowKey:
    return tuple("" if row.get(name) is None else str(row.get(name)) for name in keys)


def _fields(before: Row, after: Row, ignored: Collection[str]) -> list[tuple[str, object, object]]:
    """Fields that both rows have, and that differ."""
    return [
        (name, before[name], value)
        for name, value in after.items()
        if name not in ignored and name in before and _plain(before[name]) != _plain(value)
    ]


def _plain(value: object) -> object:
    """What is no number is not known, however it was kept."""
    return None if isinstance(value, float) and not isfinite(value) else value


def number(value: object) -> float | None:
    """A finite number; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return None
    return value
