"""What filters on columns of ``kafka-log`` spare: directories and segments not worth opening."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from pyspark.sql import datasource as f
from pyspark.sql.datasource import Filter

from pykafka_ops.spark.sources.log.plan import Pruning

_TIMES = ("timestamp", "max_timestamp")


def pruning_of(filters: Iterable[Filter], mode: str) -> Pruning:
    """Bounds that every row must keep; filters that say nothing about them are left aside."""
    found = Pruning()
    for one in filters:
        path = list(getattr(one, "attribute", ()))
        if len(path) != 1:
            continue
        name = path[0]
        if isinstance(one, (f.EqualTo, f.EqualNullSafe)):
            _equal(found, name, one.value, mode)
        elif isinstance(one, f.In):
            _among(found, name, list(one.value))
        elif isinstance(one, (f.GreaterThan, f.GreaterThanOrEqual)):
            _above(found, name, one.value, mode)
        elif isinstance(one, (f.LessThan, f.LessThanOrEqual)):
            _below(found, name, one.value, mode)
    return found


def _equal(found: Pruning, name: str, value: Any, mode: str) -> None:
    _among(found, name, [value])
    _above(found, name, value, mode)
    _below(found, name, value, mode)


def _among(found: Pruning, name: str, values: list[Any]) -> None:
    if name == "topic":
        texts = frozenset(v for v in values if isinstance(v, str))
        found.topics = texts if found.topics is None else found.topics & texts
    elif name == "partition":
        numbers = frozenset(v for v in values if isinstance(v, int))
        found.partitions = numbers if found.partitions is None else found.partitions & numbers


def _above(found: Pruning, name: str, value: Any, mode: str) -> None:
    """Rows are at ``value`` or above."""
    if isinstance(value, int) and name in _offsets(mode):
        found.low = max(found.low, value)
    elif isinstance(value, datetime) and value.tzinfo is not None and name in _TIMES:
        moment = int(value.timestamp() * 1000)
        found.moment = max(moment, found.moment or 0)


def _below(found: Pruning, name: str, value: Any, mode: str) -> None:
    """Rows are at ``value`` or below."""
    if isinstance(value, int) and name in _offsets(mode):
        found.high = min(found.high, value + 1)


def _offsets(mode: str) -> tuple[str, ...]:
    return ("offset",) if mode == "records" else ("base_offset", "last_offset")
