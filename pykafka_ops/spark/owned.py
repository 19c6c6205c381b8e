"""Owners beside topics: columns that every section with a topic gets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, overload

from pykafka_ops.analysis.owners import UNOWNED, OwnerRules
from pykafka_ops.spark.model import Column, Report, Row

TOPIC: Final = "topic"
COLUMNS: Final = (
    Column("owner", "Owner", doc=f"Who answers for the topic, by --owners; {UNOWNED}: nobody."),
    Column("team", "Team", detail=True, spare=True),
    Column("tags", "Tags", kind="list", detail=True, spare=True),
)


def with_owner(columns: Sequence[Column]) -> list[Column]:
    """The columns, with those of the owner behind that of the topic, if there is one."""
    found: list[Column] = []
    for column in columns:
        found.append(column)
        if column.name == TOPIC:
            found += COLUMNS
    return found


def with_owners(report: Report, rules: OwnerRules) -> Report:
    """The report with owners where it names topics; ``unowned_topics`` of the summary counts those
    without."""
    sections = []
    unowned: set[str] = set()
    for section in report.sections:
        if all(column.name != TOPIC for column in section.columns):
            sections.append(section)
            continue
        named = {str(row[TOPIC]) for row in section.rows if row.get(TOPIC) is not None}
        unowned |= {topic for topic in named if rules.of(topic).owner == UNOWNED}
        sections.append(
            replace(
                section, columns=with_owner(section.columns), rows=_OwnedRows(section.rows, rules)
            )
        )
    return replace(
        report, sections=sections, summary={**report.summary, "unowned_topics": len(unowned)}
    )


class _OwnedRows(Sequence[Row]):
    """Rows with their owners, made when asked for: some reports have many."""

    def __init__(self, rows: Sequence[Row], rules: OwnerRules) -> None:
        self._rows, self._rules = rows, rules

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        if isinstance(index, slice):
            return _OwnedRows(self._rows[index], self._rules)
        return self._owned(self._rows[index])

    def __iter__(self) -> Iterator[Row]:
        return map(self._owned, self._rows)

    def _owned(self, row: Row) -> Row:
        return owned(row, self._rules)


def owned(row: Row, rules: OwnerRules) -> Row:
    """A row with the owner of its topic, if it has one."""
    topic = row.get(TOPIC)
    if topic is None:
        return row
    found = rules.of(str(topic))
    return {
        **row,
        "owner": found.owner,
        "team": found.team or None,
        "tags": [*found.tags] or None,
    }
