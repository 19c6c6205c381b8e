"""Which segments of log directories a report reads, and that it says so."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from pykafka_ops.commands.spark.judge import main_section
from pykafka_ops.commands.spark.show import TerminalPage
from pykafka_ops.spark.engines import local_session
from pykafka_ops.spark.inputs import InputQuery
from pykafka_ops.spark.inputs.log_dirs import LogDirInputs
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.output.document import document
from pykafka_ops.spark.page import render
from pykafka_ops.spark.reports.skew import report as skew
from tests.support.spark.log_tables import write_log

SEGMENTS = [[5, 5]] * 12
"""Records of batches; a record's time is ten times its offset: 100 ms of each segment."""


def inputs(place: Path, **query: Any) -> LogDirInputs:
    return LogDirInputs(local_session(), [str(place)], InputQuery(**query))


def times(found: LogDirInputs) -> list[int]:
    """Of the records that are read (ms)."""
    records = found.records()
    assert records is not None
    return sorted(round(t.timestamp() * 1000) for t in records.toArrow()["timestamp"].to_pylist())


def test_segments_of_other_times_are_not_read(tmp_path: Path) -> None:
    write_log(tmp_path, "orders", SEGMENTS)
    sizes = [path.stat().st_size for path in sorted(tmp_path.glob("*/*.log"))]
    every = inputs(tmp_path)
    assert times(every) == list(range(0, 1200, 10))
    assert every.source["read"]["records"] == {
        "segments": 12, "bytes": sum(sizes), "of_segments": 12, "of_bytes": sum(sizes)
    }  # fmt: skip
    some = inputs(tmp_path, since=310, until=550)
    assert times(some) == list(range(310, 560, 10))
    read = some.source["read"]["records"]
    assert (read["segments"], read["of_segments"], read["of_bytes"]) == (3, 12, sum(sizes))
    assert read["bytes"] <= sum(sizes[3:6])


def test_a_segment_without_an_index_is_read(tmp_path: Path) -> None:
    """When a file was written says nothing: records may have later times of their producers."""
    folder = write_log(tmp_path, "orders", SEGMENTS)
    (folder / f"{20:020d}.timeindex").unlink()
    found = inputs(tmp_path, since=1000)
    assert times(found) == list(range(1000, 1200, 10))
    late = write_log(tmp_path / "late", "orders", [[5], [5]], indexed=False)
    for path in late.iterdir():
        path.touch()
    assert times(inputs(tmp_path / "late", since=70)) == [70, 80, 90]


def test_what_was_read_is_said_everywhere(tmp_path: Path) -> None:
    write_log(tmp_path, "orders", SEGMENTS)
    made = skew.build(inputs(tmp_path, since=310, until=550), ReportOptions())
    said = "3 of 12 segments for records"
    source: Any = document(made)["source"]
    assert source["read"]["records"]["segments"] == 3
    assert source["read"]["batches"]["segments"] == 12
    assert said in render([made])
    out = io.StringIO()
    page = TerminalPage(out, 200, colours=False)
    page.report(made, main_section(made, "topics"), wide=False, top=10)
    assert "12 of 12 segments for batches" in out.getvalue()
    assert said in out.getvalue()
