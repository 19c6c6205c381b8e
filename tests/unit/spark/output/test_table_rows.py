"""Rows of tables of a catalog: types that stay, and whose run they are of."""

from __future__ import annotations

import pyarrow as pa
import pytest

from pykafka_ops.errors import UsageError
from pykafka_ops.spark.model import Column, Section
from pykafka_ops.spark.output.table_rows import TableName, TableRun, rows_table

RUN = TableRun("0123abcd", 1_763_769_600_000)
COLUMNS = (
    Column("topic", "Topic"),
    Column("partition", "Partition", kind="number"),
    Column("bytes", "Bytes", "bytes"),
    Column("share", "Share", "share"),
    Column("since", "Since", "ms"),
    Column("internal", "Internal", kind="flag"),
    Column("replicas", "Replicas", kind="list"),
)
ROW = {
    "topic": "orders", "partition": 3, "bytes": 10.6, "share": 1, "since": 5, "internal": True,
    "replicas": [1, {"broker": 2}],
}  # fmt: skip


def made(*rows: dict[str, object]) -> pa.Table:
    return rows_table(Section("topics", "Topics", COLUMNS, rows), RUN)


def test_a_run_without_values_has_the_types_of_the_others() -> None:
    assert made().schema == made(ROW).schema == made(dict.fromkeys(ROW)).schema


def test_rows_say_whose_run_they_are_of_and_keep_every_value() -> None:
    (row,) = made(ROW).to_pylist()
    assert (row["run_id"], row["run_date"]) == ("0123abcd-1763769600000", "2025-11-22")
    assert row["run_time"].timestamp() * 1000 == RUN.now
    assert (row["bytes"], row["share"], row["since"].microsecond) == (11, 1.0, 5000)
    assert (row["internal"], row["replicas"]) == (True, '[1, {"broker": 2}]')


def test_names_of_tables_are_quoted_and_have_the_report_in_them() -> None:
    name = TableName.of("lake.ops.kafka.pko")
    assert name.table("lag", "groups") == "`lake`.`ops`.`kafka`.`pko_lag_groups`"
    assert TableName.of("kafka.pko").database == "`spark_catalog`.`kafka`"


@pytest.mark.parametrize("text", ["pko", "a.b.", ".a.b", "a.b`.c", "a b.c", "a.b;c"])
def test_what_is_no_name_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"write CATALOG\.DATABASE\.NAME"):
        TableName.of(text)
