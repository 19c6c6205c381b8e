"""What a report is once it is computed: sections of rows, small enough for one machine.

Times are in ms since 1970, sizes in bytes, rates per second, spans in seconds, unless a column's
``unit`` says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pykafka_ops.analysis.conditions import ConditionField, FieldKind

Row = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Column:
    """A field of the rows of a section: its heading, what it counts in, what it means.

    ``unit`` is one of ``ms`` (a moment), ``bytes``, ``bytes/s``, ``records``, ``records/s``,
    ``seconds``, ``share`` (0 to 1), ``percent``, ``days``, ``money`` or empty. ``detail`` columns
    are left out of narrow tables. ``kind`` is that of values without a unit, ``values`` are all the
    texts there are (none: any); ``spare``: nothing may be there, where elsewhere None is what is
    not known. ``band`` names the columns with the ends of what a number may be.
    """

    name: str
    title: str
    unit: str = ""
    doc: str = ""
    detail: bool = False
    kind: Literal["text", "number", "flag", "list"] = "text"
    values: tuple[str, ...] = ()
    spare: bool = False
    band: tuple[str, str] | None = None

    @property
    def field(self) -> ConditionField | None:
        """What conditions may ask of it; None of a list."""
        if self.kind == "list":
            return None
        kind: FieldKind = "moment" if self.unit == "ms" else "number" if self.unit else self.kind
        return ConditionField(kind, self.values, self.spare, self.band)


@dataclass(frozen=True, slots=True)
class MetRows:
    """How many rows of a section meet a condition, in all, and the first of them."""

    count: int
    rows: Sequence[Row]


@dataclass(slots=True)
class Section:
    """A table of a report; ``rows`` have a value (or None) for every column.

    ``unknown`` says why nobody knows what rows there should be; empty where that is known.
    ``total``: how many rows there are, where that is more than a report holds; ``rows`` are those
    that come first, and ``met`` are all that meet the condition which was asked for (None: nobody
    looked); ``elsewhere`` names the tables that have all of them.
    """

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    note: str = ""
    unknown: str = ""
    total: int | None = None
    met: MetRows | None = None
    elsewhere: str = ""

    def __post_init__(self) -> None:
        if self.is_cut and self.total is not None:
            told = f"; all are in {self.elsewhere}" if self.elsewhere else ""
            cut = f"Showing {len(self.rows):,} of {self.total:,} rows{told}."
            if not self.note.startswith(cut):  # a section may be made of another one
                self.note = f"{cut} {self.note}".strip()

    @property
    def is_cut(self) -> bool:
        """Whether there are rows that the report does not hold."""
        return self.total is not None and self.total > len(self.rows)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that was left out: where, and what is wrong there."""

    where: str
    what: str


def first_problems(
    found: Sequence[Problem], most: int, where: str, what: str, total: int | None = None
) -> list[Problem]:
    """The first ``most`` of them, and how many more of ``what`` there are at ``where``; ``total``
    is how many there are where ``found`` has the first alone."""
    more = (len(found) if total is None else total) - most
    rest = [Problem(where, f"{more:,} more {what}")] if more > 0 else []
    return [*found[:most], *rest]


@dataclass(slots=True)
class Report:
    """A whole report: ``kind`` is lag, skew, retention, cost or audit, ``now`` the moment that it
    is about (ms).

    ``source`` says what it was made of (servers or directories, filters, the span of time);
    ``summary`` the few figures on top; ``problems`` what could not be read.
    """

    kind: str
    now: int
    source: Mapping[str, object]
    summary: Mapping[str, object]
    sections: Sequence[Section]
    problems: Sequence[Problem] = field(default_factory=tuple)

    def section(self, name: str) -> Section:
        """The section of that name; KeyError if there is none."""
        for section in self.sections:
            if section.name == name:
                return section
        raise KeyError(name)
