"""Sections of which a report holds the first rows are written whole, as small ones are."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from pykafka_ops.analysis.owners import OwnerRules, TopicOwner
from pykafka_ops.errors import StorageError
from pykafka_ops.spark.engines import local_session
from pykafka_ops.spark.model import Report, Section
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.output.arrow import table
from pykafka_ops.spark.output.files import csv_bytes
from pykafka_ops.spark.output.history import History, with_trends
from pykafka_ops.spark.output.outlets import Outlet
from pykafka_ops.spark.output.stores import LocalStore
from pykafka_ops.spark.output.whole import WholePlaces
from pykafka_ops.spark.owned import with_owners
from pykafka_ops.spark.reports.lag import columns, worst
from pykafka_ops.spark.reports.lag import report as lag
from tests.support.spark.given import FrameInputs
from tests.support.spark.lag_world import NOW, SPAN, World

OWNERS = OwnerRules([("t*", TopicOwner("shop", tags=("a", "b")))])


def made(options: ReportOptions) -> Report:
    given = World(0, [NOW - SPAN + n * 600_000 for n in range(25)]).frames()
    inputs = FrameInputs(
        local_session(), now=NOW, since=NOW - SPAN, log_dirs=[],
        **given,  # type: ignore[arg-type]
    )  # fmt: skip
    return lag.build(inputs, options)


def whole(report: Report, history: History) -> Section:
    """The section as a report has it that holds all rows."""
    return with_trends(with_owners(report, OWNERS), history).section("partitions")


def by_name(row: dict[str, Any]) -> tuple[str, str, int]:
    return row["group"], row["topic"], int(row["partition"])


@pytest.mark.parametrize("section", ["partitions", "over_time"])
def test_names_types_and_rows_are_those_of_a_small_section(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, section: str
) -> None:
    before = {"partitions": [{"now": NOW - 1, **row, "lag": 1} for row in
                             made(ReportOptions()).section("partitions").rows[:4]]}  # fmt: skip
    full = with_trends(with_owners(made(ReportOptions()), OWNERS), before).section(section)
    for name, value in (("MOST_ROWS", 3), ("_SOONEST", 1)):
        monkeypatch.setattr(worst, name, value)
    outlets = {form: Outlet(str(tmp_path / form), folder=True) for form in ("csv", "parquet")}
    places = WholePlaces(outlets, None, "source")
    write = places.writer("lag", "", NOW, OWNERS, before)
    cut = made(ReportOptions(whole=write)).section(section)
    assert cut.total == len(full.rows) > len(cut.rows)
    told = " and ".join(str(tmp_path / form / f"{section}.{form}") for form in outlets)
    assert cut.note.startswith(f"Showing {len(cut.rows)} of {cut.total} rows; all are in {told}.")
    assert replace(cut, title="x").note == cut.note  # said once
    held = {form: places.files[outlet][f"{section}.{form}"] for form, outlet in outlets.items()}
    path = tmp_path / "whole.parquet"
    path.write_bytes(held["parquet"])
    found, wanted = pq.read_table(path), table(full)
    known = [n for n in wanted.schema.names if wanted[n].null_count != wanted.num_rows]
    assert found.schema.names == wanted.schema.names
    assert [found.schema.field(n) for n in known] == [wanted.schema.field(n) for n in known]
    lines = csv_bytes(full).splitlines()
    assert held["csv"].splitlines()[0] == lines[0]
    assert sorted(held["csv"].splitlines()) == sorted(lines)
    if section == "partitions":
        assert sorted(found.to_pylist(), key=by_name) == sorted(wanted.to_pylist(), key=by_name)
        assert next(csv.DictReader(held["csv"].decode().splitlines()))["owner"]


def test_without_tables_nothing_is_written_and_nothing_promised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worst, "MOST_ROWS", 3)
    assert WholePlaces({}, None, "source").writer("lag", "", NOW, None, None) is None
    cut = made(ReportOptions()).section("partitions")
    assert cut.is_cut
    assert "all are in" not in cut.note
    assert [c.name for c in cut.columns] == [c.name for c in columns.PARTITIONS]


def test_what_spark_wrote_takes_the_place_of_a_file_and_gives_it_back(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    store.write({"a.csv": b"1", ".a.part/part-0": b"2", "b.csv/part-0": b"3", "b.csv/mine": b"4"})
    store.clear("a.csv", files=False)
    assert store.read("a.csv") == b"1"
    store.clear("a.csv")
    store.rename(".a.part", "a.csv")
    assert store.read("a.csv/part-0") == b"2"
    store.clear("a.csv", files=False)
    store.clear("none.csv")
    assert store.names("") == ["b.csv"]
    with pytest.raises(StorageError, match=r"cannot remove .*b\.csv"):
        store.clear("b.csv")
    assert store.read("b.csv/mine") == b"4"
