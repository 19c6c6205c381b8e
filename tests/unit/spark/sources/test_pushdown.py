"""Filters that come down to a source spare reading, and leave the rows that Spark would leave."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import datasource as f
from pyspark.sql.datasource import InputPartition

from pykafka_ops.spark.sources.adapter import PushingReader, SparkReader, condition
from pykafka_ops.spark.sources.conditions import Conditions, RowCondition
from pykafka_ops.spark.sources.log.plan import SegmentPart
from pykafka_ops.spark.sources.log.source import KafkaLogSource
from tests.support.spark.log_tables import reader, write_log
from tests.support.spark.pushed import Rows, filters, met, moments, rows

GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "segments"
COUNT = 60


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Topics of several partitions and segments, one of them a second time elsewhere; what Apache
    Kafka wrote of transactions and old formats; and damage."""
    first, second = (tmp_path_factory.mktemp(name) for name in ("one", "two"))
    (first / "meta.properties").write_text("broker.id=1\n")
    (second / "meta.properties").write_text("broker.id=2\n")
    write_log(first, "a", [[5, 3], [5, 5, 2], [7], [4, 4]])
    write_log(first, "a", [[9], [1] * 9], partition=1)
    write_log(second, "a", [[5, 3], [5]])
    write_log(second, "ab", [[6, 6]], partition=2, first=20)
    golden = ("v2-transactions-open", "v1-gzip", "damage-bad-magic")
    return [str(first), str(second), *(str(GOLDEN / name) for name in golden)]


VALUES: dict[str, Any] = {
    "topic": st.sampled_from(["a", "ab", "b", ""]),
    "partition": st.integers(-1, 3),
    "offset": st.integers(-2, COUNT),
    "timestamp": moments(-10, 10 * COUNT),
    "value": st.integers(0, COUNT).map(lambda n: b"%d" % n * 5),
    "timestampType": st.integers(0, 1),
    "base_offset": st.integers(-2, COUNT),
    "last_offset": st.integers(-2, COUNT),
    "broker": st.integers(0, 3),
    "records": st.integers(0, 9),
    "transactional": st.booleans(),
    "problem": st.text(max_size=1),
}
VALUES["max_timestamp"] = VALUES["first_timestamp"] = VALUES["timestamp"]
RECORDS = ("topic", "partition", "offset", "timestamp", "value", "timestampType")
BATCHES = (
    "topic", "partition", "base_offset", "last_offset", "max_timestamp", "first_timestamp",
    "broker", "records", "transactional", "problem",
)  # fmt: skip


@pytest.fixture(scope="module", params=["records", "batches"])
def whole(places: list[str], request: pytest.FixtureRequest) -> tuple[KafkaLogSource, Rows]:
    """A source of all of it, and what it gives without filters."""
    options = {"paths": ",".join(places), "mode": request.param, "replicas": "all"}
    made = KafkaLogSource({**options, "pushdown": "true"})
    return made, rows(SparkReader(reader("", **options)))


@settings(max_examples=40)
@given(st.data())
def test_rows_with_filters_pushed_down_are_those_that_meet_them(
    whole: tuple[KafkaLogSource, Rows], data: st.DataObject
) -> None:
    source, every = whole
    names = RECORDS if source.options["mode"] == "records" else BATCHES
    wanted = data.draw(filters({name: VALUES[name] for name in names}))
    made = source.reader(source.schema())
    left = list(made.pushFilters(wanted))
    assert met(rows(made), left) == met(every, wanted)


def read_of(path: Path, *wanted: f.Filter, mode: str = "records") -> tuple[int, int]:
    """(segments, bytes) that a read with these filters opens."""
    source = KafkaLogSource({"path": str(path), "mode": mode, "pushdown": "true"})
    made = source.reader(source.schema())
    assert isinstance(made, PushingReader)
    assert list(made.pushFilters(list(wanted))) == []
    parts: list[SegmentPart] = [
        p for task in made.partitions() if task.value for p in task.value.parts
    ]
    names = {(p.replica.path, p.name) for p in parts}
    return len(names), sum(p.part.end - p.part.start for p in parts)


def moment(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, timezone(timedelta(hours=5)))


@settings(max_examples=20)
@given(st.permutations(RECORDS), st.integers(1, 6))
def test_columns_are_those_asked_for_with_the_same_values(
    whole: tuple[KafkaLogSource, Rows], order: list[str], count: int
) -> None:
    source, every = whole
    if source.options["mode"] != "records":
        return
    asked = order[:count]
    fewer = KafkaLogSource({**source.options, "columns": ",".join(asked)})
    assert fewer.schema().fieldNames() == asked
    found = rows(fewer.reader(fewer.schema()))
    assert met(found, []) == met([{name: row[name] for name in asked} for row in every], [])


def test_what_cannot_match_is_neither_listed_nor_opened(tmp_path: Path) -> None:
    write_log(tmp_path, "a", [[10] * 10, [10] * 10, [10] * 10])
    write_log(tmp_path, "a", [[10] * 10, [10] * 10], partition=1)
    write_log(tmp_path, "b", [[10] * 10])
    segments, size = read_of(tmp_path)
    assert segments == 6
    topic = f.EqualTo(("topic",), "a")
    assert read_of(tmp_path, topic)[0] == 5
    assert read_of(tmp_path, topic, f.In(("partition",), (1, 7)))[0] == 2
    assert read_of(tmp_path, f.Not(f.StringStartsWith(("topic",), "a")))[0] == 1
    one, some = read_of(tmp_path, topic, f.EqualTo(("partition",), 0), f.EqualTo(("offset",), 155))
    assert one == 1
    assert some < size / 6 / 2, "the index shows where within a segment"
    late = f.GreaterThanOrEqual(("timestamp",), moment(2_000))
    assert read_of(tmp_path, late)[0] == 3, "a segment that is written to has no newest time yet"
    late = f.GreaterThan(("max_timestamp",), moment(1_990))
    assert read_of(tmp_path, late, mode="batches")[0] == 3
    assert read_of(tmp_path, f.EqualTo(("topic",), "c")) == (0, 0)


def test_filters_that_are_not_of_a_plain_column_stay_with_spark(tmp_path: Path) -> None:
    write_log(tmp_path, "a", [[5]])
    options = {"path": str(tmp_path), "mode": "records", "includeHeaders": "true"}
    source = KafkaLogSource({**options, "pushdown": "true"})
    made = source.reader(source.schema())
    others: list[f.Filter] = [
        f.IsNull(("headers",)),
        f.GreaterThan(("value",), b"1"),
        f.EqualTo(("value", "id"), 3),
        f.EqualTo(("elsewhere",), 3),
    ]
    assert list(made.pushFilters([*others, f.EqualTo(("topic",), "a")])) == others
    plain = KafkaLogSource(options)
    assert type(plain.reader(plain.schema())) is SparkReader
    assert list(made.read(InputPartition(None))) == []


def test_bounds_follow_from_conditions_that_say_something_about_them() -> None:
    made = [condition(one) for one in (
        f.GreaterThan(("offset",), 4), f.In(("offset",), (9, 5, None)), f.LessThan(("offset",), 30),
        f.Not(f.EqualTo(("offset",), 5)), f.StringStartsWith(("topic",), "a"),
    )]  # fmt: skip
    found = Conditions(one for one in made if one is not None)
    assert len(found) == 5
    assert (found.least("offset"), found.most("offset")) == (5, 9)
    assert found.among("offset") == {5, 9, None}
    assert found.among("topic") is None
    assert found.least("partition") is None
    assert not found.allow(topic="b", offset=5)
    assert found.allow(topic="ab")


@given(
    st.sampled_from(["=", "<=>", ">", ">=", "<", "<=", "in"]),
    st.lists(st.one_of(st.none(), st.text("aä\U0001f600\uffff", max_size=2)), max_size=5),
    st.text("aä\U0001f600\uffff", max_size=2),
    st.booleans(),
)
def test_a_value_is_judged_as_a_column_of_it(
    test: str, values: list[str | None], wanted: str, negated: bool
) -> None:
    one = RowCondition("x", test, (wanted, "a") if test == "in" else wanted, negated)
    column = pa.array(values, pa.string())
    assert one.fits(column.type)
    assert one.mask(column).to_pylist() == [one.holds(value) for value in values]
