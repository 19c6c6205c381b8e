"""Our readers as Spark wants them: its classes around ours, which do without Spark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import datasource as f
from pyspark.sql.datasource import DataSourceReader, Filter, InputPartition

from pykafka_ops.spark.sources import conditions as c
from pykafka_ops.spark.sources.conditions import Conditions, RowCondition
from pykafka_ops.spark.sources.options import SourceOptions

if TYPE_CHECKING:
    import pyarrow as pa

    from pykafka_ops.spark.sources.reader import JudgingReader

_TESTS: Final[Mapping[type[Filter], str]] = {
    f.EqualTo: c.EQUAL,
    f.EqualNullSafe: c.SAME,
    f.GreaterThan: c.ABOVE,
    f.GreaterThanOrEqual: c.FROM,
    f.LessThan: c.BELOW,
    f.LessThanOrEqual: c.UP_TO,
    f.In: c.AMONG,
    f.IsNull: c.NULL,
    f.StringStartsWith: c.STARTS,
    f.StringEndsWith: c.ENDS,
    f.StringContains: c.CONTAINS,
}


class SparkReader(DataSourceReader):
    """Plans on the driver, reads in the executors."""

    def __init__(self, inner: JudgingReader) -> None:
        self.inner = inner

    def partitions(self) -> list[InputPartition]:
        """The tasks, each as a value of Spark's own."""
        return [InputPartition(task) for task in self.inner.partitions()]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of one task."""
        if partition.value is None:  # Spark's own where there is nothing to read
            return iter(())
        return iter(self.inner.read(partition.value))


class PushingReader(SparkReader):
    """The same with filters: the reader spares what they leave out, and only rows that meet them go
    to Spark. It raises unless ``spark.sql.python.filterPushdown.enabled`` is set.

    Spark (4.1 to 4.3) keeps the last filters handed down with the frame that ``load`` made, and
    uses them for every query of it, so this is for frames that make one query each.
    """

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:  # noqa: N802 - Spark's
        """Take over filters on plain columns; those left are given back, for Spark to judge."""
        known = self.inner.judged
        taken, left = [], []
        for one in filters:
            made = condition(one)
            if made is None or made.column not in known.names:
                left.append(one)
            elif made.fits(known.field(made.column).type):
                taken.append(made)
            else:
                left.append(one)
        self.inner.narrow(Conditions(taken))
        return left


def spark_reader(inner: JudgingReader, options: Mapping[str, str]) -> SparkReader:
    """``inner`` for Spark; with the option ``pushdown`` it takes filters."""
    pushes = SourceOptions(options).flag("pushdown", default=False)
    return PushingReader(inner) if pushes else SparkReader(inner)


def condition(one: Filter) -> RowCondition | None:
    """A filter of Spark's as we judge it; None of one that is not known, or on part of a column."""
    negated = isinstance(one, f.Not)
    inner = one.child if isinstance(one, f.Not) else one
    if isinstance(inner, f.IsNotNull):
        test, negated = c.NULL, not negated
    elif type(inner) in _TESTS:
        test = _TESTS[type(inner)]
    else:
        return None
    path: tuple[str, ...] = getattr(inner, "attribute", ())
    if len(path) != 1:
        return None
    value: Any = getattr(inner, "value", None)
    if test == c.AMONG:
        return RowCondition(path[0], test, tuple(map(_value, value)), negated)
    return RowCondition(path[0], test, _value(value), negated)


def _value(value: Any) -> Any:
    """Times as microseconds since 1970."""
    if isinstance(value, datetime) and value.tzinfo is not None:
        return (value - datetime.fromtimestamp(0, value.tzinfo)) // timedelta(microseconds=1)
    return bytes(value) if isinstance(value, bytearray) else value
