"""The option ``where`` says in SQL which rows of a source are wanted, batch or stream."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable

from pykafka_ops.errors import UsageError
from pykafka_ops.spark import schemas
from pykafka_ops.spark.sources.log.source import KafkaLogSource
from pykafka_ops.spark.sources.where import conditions_of
from tests.support.spark.log_tables import column, write_log

COUNT = 40


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("where")
    write_log(made, "a", [[5] * 4, [5] * 4])
    write_log(made, "it_s", [[5]], partition=1)
    return made


CASES: list[tuple[str, Any]] = [
    ("topic = 'a' and offset >= 7 AND offset<9", [7, 8]),
    ("topic='it_s'", range(5)),
    ("topic = 'it''s'", []),
    ("`topic` <> 'a'", range(5)),
    ("topic like 'it%' and offset in (1, 3, 99)", [1, 3]),
    ("topic not like '%t%' and offset between 38 and 50", [38, 39]),
    ("topic = 'a' and not offset < 37", [37, 38, 39]),
    ("timestamp >= '1970-01-01T00:00:00.380'", [38, 39]),
    ("timestamp > timestamp '1970-01-01 02:00:00.380+02:00'", [39]),
    ("timestamp >= 390", [39]),
    ("topic = 'a' and (timestamp < 30 and timestamp >= 10)", [1, 2]),
    ("key = '12' and value = X'31323132313231323132'", [12]),
    ("topic is not null and partition = 1 and key is not null", range(5)),
    ("topic is null", []),
    ("partition <=> 1", range(5)),
]


@pytest.mark.parametrize(("text", "wanted"), CASES)
def test_rows_that_meet_the_conditions_are_read(logs: Path, text: str, wanted: Any) -> None:
    assert sorted(column(logs, "offset", mode="records", where=text)) == list(wanted)


def test_columns_that_are_judged_need_not_be_read_out(logs: Path) -> None:
    found = column(logs, "key", mode="records", where="offset = 7", columns="key")
    assert found == [b"7"]
    late = "base_offset >= 30 and size > 0"
    assert column(logs, "last_offset", where=late, columns="last_offset") == [34, 39]


WRONG = [
    ("", "not understood at the end"),
    ("offset", "not understood at the end"),
    ("offset >", "not understood at the end"),
    ("offset = 'x'", "'x' is no value of the column offset"),
    ("offset = 99999999999999999999", "is no value of the column offset"),
    ("offset = 1 or offset = 2", "not understood at or"),
    ("color = 1", "no column color: key, value, topic"),
    ("headers is null", "cannot be asked of the column headers"),
    ("topic like 'a_b'", "only 'a%', '%a', '%a%' and 'a'"),
    ("key > 'a'", "> cannot be asked of the column key"),
    ("timestamp > 'soon'", "'soon' is no value of the column timestamp"),
    ("offset = 1; drop", "not understood at ; drop"),
    ("partition in ()", "is no value of the column partition"),
]


@pytest.mark.parametrize(("text", "said"), WRONG)
def test_what_is_no_condition_is_said_in_a_line(text: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        conditions_of(text, schemas.RECORDS_WITH_HEADERS)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_stream_reads_only_what_is_wanted_and_keeps_all_offsets(logs: Path) -> None:
    source = KafkaLogSource({
        "path": str(logs), "mode": "records", "columns": "key",
        "where": "topic = 'a' and offset >= 38",
    })  # fmt: skip
    stream = source.streamReader(source.schema())
    start = stream.initialOffset()
    end = stream.latestOffset(start, ReadAllAvailable())
    assert end == {"a": {"0": COUNT}, "it_s": {"1": 5}}
    tasks = stream.partitions(start, end)
    names = [(part.replica.topic, part.name) for task in tasks for part in task.value.parts]
    assert names == [("a", "00000000000000000020.log")]
    found = [k for task in tasks for batch in stream.read(task) for k in batch["key"].to_pylist()]
    assert found == [b"38", b"39"]
