"""Sections as rows of tables that stay: types that are the same in every run, and who wrote them.

Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pykafka_ops.errors import UsageError
from pykafka_ops.spark.model import Column, Section
from pykafka_ops.spark.output.arrow import DOUBLES
from pykafka_ops.spark.output.document import plain

if TYPE_CHECKING:
    import pyarrow as pa

RUN_ID, RUN_DATE, RUN_TIME, RUN_SOURCE = "run_id", "run_date", "run_time", "run_source"
_PART: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,127}")
COUNTS: Final = ("bytes", "records")


class TableName(NamedTuple):
    """``catalog.db.name``; tables of sections begin with ``prefix``."""

    catalog: str
    namespace: tuple[str, ...]
    prefix: str

    @classmethod
    def of(cls, text: str) -> TableName:
        """Of ``CATALOG.DATABASE.NAME``, or ``DATABASE.NAME`` in Spark's own. UsageError."""
        parts = text.split(".")
        if len(parts) < 2 or not all(_PART.fullmatch(part) for part in parts):
            raise UsageError(
                f"--output-table {text}: write CATALOG.DATABASE.NAME, of letters, digits, _ and -"
            )
        catalog, *namespace = parts[:-1] if len(parts) > 2 else ("spark_catalog", parts[0])
        return cls(catalog, tuple(namespace), parts[-1])

    @property
    def database(self) -> str:
        """The quoted name of what the tables are in."""
        return ".".join(f"`{part}`" for part in (self.catalog, *self.namespace))

    def table(self, kind: str, section: str) -> str:
        """The quoted name of a section's table: ``NAME_lag_groups``."""
        return f"{self.database}.`{self.prefix}_{kind}_{section}`"


class TableRun(NamedTuple):
    """One run of a report: the same source and moment (ms) are the same run."""

    source: str
    now: int

    @property
    def id(self) -> str:
        """What stands in ``run_id``."""
        return f"{self.source}-{self.now}"

    @property
    def date(self) -> str:
        """The day in UTC."""
        return datetime.fromtimestamp(self.now / 1000, UTC).strftime("%Y-%m-%d")


def rows_table(section: Section, run: TableRun) -> pa.Table:
    """The rows of a section behind ``run_id``, ``run_date``, ``run_time`` and ``run_source``; what
    has parts is JSON."""
    import pyarrow as pa

    count = len(section.rows)
    moment = pa.array([run.now * 1000] * count, pa.int64()).cast(pa.timestamp("us", tz="UTC"))
    arrays = [
        pa.array([run.id] * count, pa.string()),
        pa.array([run.date] * count, pa.string()),
        moment,
        pa.array([run.source] * count, pa.string()),
    ]
    arrays += [_array([plain(r.get(c.name)) for r in section.rows], c) for c in section.columns]
    names = [RUN_ID, RUN_DATE, RUN_TIME, RUN_SOURCE, *(c.name for c in section.columns)]
    return pa.Table.from_arrays(arrays, names=names)


def _array(values: Sequence[Any], column: Column) -> pa.Array:
    import pyarrow as pa

    kinds = {type(v) for v in values if v is not None}
    numbers = bool(kinds) and kinds <= {int, float}
    if column.unit == "ms":
        micros = [None if v is None else int(v) * 1000 for v in values]
        return pa.array(micros, pa.int64()).cast(pa.timestamp("us", tz="UTC"))
    if column.unit in DOUBLES or (column.unit not in COUNTS and numbers and float in kinds):
        return pa.array([None if v is None else float(v) for v in values], pa.float64())
    if column.unit in COUNTS or numbers or (not kinds and column.kind == "number"):
        return pa.array([None if v is None else round(v) for v in values], pa.int64())
    if kinds == {bool} or (not kinds and column.kind == "flag"):
        return pa.array(values, pa.bool_())
    return pa.array([_text(v) for v in values], pa.string())


def _text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
