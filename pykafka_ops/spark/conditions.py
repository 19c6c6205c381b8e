"""Which rows of a section meet a condition, also of those that a report does not hold: they are
looked at where they are, and a few of them come here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from pykafka_ops.analysis.conditions import Condition, ConditionError, parse_condition
from pykafka_ops.analysis.cost import cost_says_less
from pykafka_ops.analysis.lag.rows import understated
from pykafka_ops.audit.rows import says_less
from pykafka_ops.errors import UsageError
from pykafka_ops.spark.arrow import row_batches
from pykafka_ops.spark.engines import in_arrow
from pykafka_ops.spark.model import Column, MetRows, Row
from pykafka_ops.spark.owned import TOPIC, owned, with_owner
from pykafka_ops.spark.schemas import columns as schema_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from pykafka_ops.analysis.owners import OwnerRules

SHOWN: Final = 20
"""Rows that are named of those that meet a condition."""
_MET: Final = schema_of("count bigint, row string")
"""What a task found: how many rows, and some of them in JSON."""


@dataclass(frozen=True, slots=True)
class SectionCondition:
    """A condition that the rows of one section are held against."""

    section: str
    text: str
    owners: OwnerRules | None = None

    def met(self, name: str, frame: DataFrame, known: Sequence[Column]) -> MetRows | None:
        """Which rows of ``frame`` meet it: all those of the section ``name``, whose columns are
        ``known``. None where another section is meant, or what only rows have that are held."""
        holds = self._holds(name, known)
        if holds is None:
            return None
        task = _counting(self, name, known)
        found = in_arrow(frame, task, _MET).toArrow()
        rows = [json.loads(row) for row in found["row"].to_pylist() if row is not None]
        return MetRows(sum(found["count"].to_pylist()), rows[:SHOWN])

    def met_of(self, name: str, rows: Iterable[Row], known: Sequence[Column]) -> MetRows | None:
        """The same of rows that are here."""
        holds = self._holds(name, known)
        return None if holds is None else _met(holds, rows, self.owners)

    def _holds(self, name: str, columns: Sequence[Column]) -> Condition | None:
        if name != self.section:
            return None
        known = columns if self.owners is None else with_owner(columns)
        try:
            return condition_of(self.text, name, known)
        except UsageError:  # about what changed since the run before
            return None


def _counting(asked: SectionCondition, name: str, columns: Sequence[Column]) -> Any:
    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        holds = asked._holds(name, columns)
        assert holds is not None
        rows = (row for batch in batches for row in batch.to_pylist())
        found = _met(holds, rows, asked.owners)
        shown = ({"count": 0, "row": json.dumps(row, default=str)} for row in found.rows)
        yield from row_batches(_MET, [{"count": found.count}, *shown])

    return task


def _met(holds: Condition, rows: Iterable[Row], owners: OwnerRules | None) -> MetRows:
    count = 0
    shown: list[Row] = []
    for row in rows:
        full = row if owners is None or row.get(TOPIC) is None else owned(row, owners)
        if holds(full):
            count += 1
            if len(shown) < SHOWN:
                shown.append(full)
    return MetRows(count, shown)


def condition_of(text: str, section: str, columns: Sequence[Column]) -> Condition:
    """The condition; UsageError for what the columns of the section have not got."""
    fields = {c.name: c.field for c in columns if c.field is not None}
    try:
        return parse_condition(text, fields, _less_than_true)
    except ConditionError as e:
        raise UsageError(f"--fail-on: {e} (of section {section}; --section chooses)") from None


def _less_than_true(row: Mapping[str, object], name: str) -> bool:
    """Whether a figure may be less than what is true."""
    return understated(row, name) or says_less(row, name) or cost_says_less(row, name)
