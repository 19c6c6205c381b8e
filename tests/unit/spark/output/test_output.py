"""Reports in files: whole or not there, the same figures in each."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pykafka_ops.errors import StorageError
from pykafka_ops.spark.model import Column, Problem, Report, Row, Section
from pykafka_ops.spark.output import arrow, atomic, files
from pykafka_ops.spark.output.document import document
from pykafka_ops.spark.output.stores import LocalStore

NOW = 1_763_769_600_123
COLUMNS = (
    Column("group", "Group"),
    Column("last_commit", "Last commit", "ms"),
    Column("lag", "Lag", "records"),
    Column("rate_in", "In", "records/s"),
    Column("partitions", "Where"),
)
ROWS: tuple[Row, ...] = (
    {"group": 'a,"b"\n', "last_commit": NOW, "lag": 7, "rate_in": 1.5, "partitions": [{"p": 1}]},
    {"group": "ü", "last_commit": None, "lag": None, "rate_in": math.inf, "partitions": []},
)


def report(*sections: Section) -> Report:
    made = sections or (Section("groups", "Groups", COLUMNS, ROWS),)
    problems = [Problem("orders-0", "torn")]
    return Report("lag", NOW, {"log_dirs": ["/x"]}, {"lag": 7, "bad": math.nan}, made, problems)


def test_json_has_every_column_in_every_row_and_no_number_that_json_lacks() -> None:
    found = json.loads(json.dumps(document(report())), parse_constant=pytest.fail)
    assert found == document(report())
    assert (found["kind"], found["version"]) == ("lag-report", 1)
    assert found["now"] == "2025-11-22T00:00:00.123Z"
    assert found["summary"] == {"lag": 7, "bad": None}
    assert found["problems"] == [{"where": "orders-0", "what": "torn"}]
    first, second = found["sections"]["groups"]["rows"]
    assert first["last_commit"] == "2025-11-22T00:00:00.123Z"
    assert list(second) == [c.name for c in COLUMNS]
    assert second["rate_in"] is None


def test_csv_keeps_hostile_names_in_their_cell() -> None:
    text = files.csv_bytes(report().sections[0]).decode()
    header, first, second = csv.reader(io.StringIO(text, newline=""))
    assert header == [c.name for c in COLUMNS]
    assert first == ['a,"b"\n', "2025-11-22T00:00:00.123Z", "7", "1.5", '[{"p": 1}]']
    assert second == ["ü", "", "", "", "[]"]


def test_parquet_types_do_not_depend_on_the_rows_of_a_run() -> None:
    full, empty = (Section("g", "G", COLUMNS[:4], rows) for rows in (ROWS, ()))
    assert arrow.table(full).schema.types == arrow.table(empty).schema.types
    assert arrow.table(full).schema.types == [
        pa.string(), pa.timestamp("ms", tz="UTC"), pa.int64(), pa.float64()
    ]  # fmt: skip


def test_a_column_of_many_kinds_becomes_text() -> None:
    mixed = Section("g", "G", (Column("x", "X"),), ({"x": 1}, {"x": "a"}, {"x": 2**70}))
    assert arrow.table(mixed).to_pylist() == [{"x": "1"}, {"x": "a"}, {"x": str(2**70)}]


def test_a_directory_says_which_files_are_ours(tmp_path: Path) -> None:
    (tmp_path / "groups.csv").write_text("mine\n")
    store = LocalStore(tmp_path)
    assert files.strangers(store, "", ["groups.csv", "topics.csv"]) == [f"{tmp_path}/groups.csv"]
    store.write(files.section_files(report(), "csv", ""))
    assert files.strangers(store, "", ["groups.csv"]) == []
    assert json.loads((tmp_path / "_report.json").read_text())["files"] == ["groups.csv"]
    store.write(files.section_files(report(), "parquet", "p/"))
    rows = pq.read_table(tmp_path / "p" / "groups.parquet").column("lag").to_pylist()
    assert rows == [7, None]


def test_a_report_that_cannot_be_finished_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = {tmp_path / name: b"old" for name in ("a", "b")}
    atomic.write_all(old)
    write, written = os.fsync, []

    def full(fd: int) -> None:
        written.append(fd)
        if len(written) == 2:
            raise OSError(28, "No space left on device", str(tmp_path / "b"))
        write(fd)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match=r"cannot write .*b: No space left on device"):
        atomic.write_all(dict.fromkeys(old, b"new"))
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == old


def test_a_place_that_cannot_be_written_is_told_beforehand(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageError, match="is a directory"):
        atomic.writable(tmp_path)
    with pytest.raises(StorageError, match="file is no directory"):
        atomic.writable(tmp_path / "file" / "x.html")
    atomic.writable(tmp_path / "new" / "deep" / "x.html")


def test_a_file_of_somebody_else_is_known_by_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    assert not atomic.foreign(path, b"report")
    path.write_text("")
    assert not atomic.foreign(path, b"report")
    path.write_text("my notes")
    assert atomic.foreign(path, b"report")
    path.write_text(json.dumps(document(report())))
    assert not atomic.foreign(path, b'-report", "version"')
