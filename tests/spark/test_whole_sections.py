"""Sections of which a report holds the first rows are written whole by executors."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.dataset as ds
import pytest

from pykafka_ops.analysis.owners import OwnerRules, TopicOwner
from pykafka_ops.cli import main
from pykafka_ops.spark.engines import local_session
from pykafka_ops.spark.model import Column
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.output.outlets import Outlet
from pykafka_ops.spark.output.tables import CatalogTables
from pykafka_ops.spark.output.whole import WholePlaces
from pykafka_ops.spark.reports.lag import report as lag
from pykafka_ops.spark.reports.lag import worst
from tests.support.spark.given import FrameInputs
from tests.support.spark.lag_world import NOW, SPAN, World
from tests.support.spark.workload import Workload

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pykafka_ops.spark.model import Report

MOST = 8
BUCKETS = 24
"""Of one group over time, which is held in any case."""
SECTIONS = ("partitions", "over_time")
KEYS = ("group", "topic", "partition", "start")
OWNERS = OwnerRules([("o*", TopicOwner("shop", tags=("a",)))])
CUT = {
    "skew": ("skew.report.MOST_ROWS", 4, ["partitions"]),
    "retention": ("retention.gather.MOST_ROWS", 1, ["at_risk", "compaction"]),
}
"""By report: what bounds its sections, the bound here, and the sections that have more rows."""
Write = Callable[[str, "DataFrame", Sequence[Column]], str]


def lower_caps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worst, "MOST_ROWS", MOST)
    monkeypatch.setattr(worst, "_SOONEST", 1)


def build(session: SparkSession, whole: Write | None) -> Report:
    given = World(0, [NOW - SPAN + n * 600_000 for n in range(25)]).frames()
    inputs = FrameInputs(
        session, now=NOW, since=NOW - SPAN, log_dirs=[],
        **given,  # type: ignore[arg-type]
    )  # fmt: skip
    try:
        return lag.build(inputs, ReportOptions(whole=whole))
    finally:
        inputs.close()


def outlets(root: Path) -> dict[str, Outlet]:
    return {form: Outlet(str(root / form), folder=True) for form in ("csv", "parquet")}


def rows(path: Path) -> tuple[list[tuple[str, str]], list[dict[str, Any]]]:
    """Columns with their types, and rows by name."""
    found = ds.dataset(path, format="parquet").to_table()
    made = sorted(found.to_pylist(), key=lambda r: [str(r.get(k)) for k in KEYS])
    return [(f.name, str(f.type).replace("element", "item")) for f in found.schema], made


def lines(path: Path) -> list[str]:
    parts = sorted(path.glob("part-*")) if path.is_dir() else [path]
    texts = [part.read_text().splitlines() for part in parts]
    assert len({text[0] for text in texts}) == 1
    return [texts[0][0], *sorted(line for text in texts for line in text[1:])]


def test_both_engines_write_the_same_rows_and_the_driver_gets_no_more_than_the_cap(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyspark.sql.classic.dataframe import DataFrame as Classic

    here = WholePlaces(outlets(tmp_path / "here"), None, "src")
    there = WholePlaces(outlets(tmp_path / "there"), CatalogTables("whole.pko", None), "src")
    monkeypatch.setattr(CatalogTables, "_is_in_memory", lambda _: False)  # of this session alone
    assert there.tables is not None
    there.tables.open(spark)
    full = build(local_session(), None)
    lower_caps(monkeypatch)
    collected: list[tuple[list[str], int]] = []
    plain = Classic.toArrow

    def counting(frame: DataFrame) -> Any:
        found = plain(frame)
        collected.append((found.column_names, found.num_rows))
        return found

    monkeypatch.setattr(Classic, "toArrow", counting)
    write = there.writer("lag", "lag/", NOW, OWNERS, {})
    assert write is not None

    def twice(section: str, rows: DataFrame, known: Sequence[Column]) -> str:
        assert write(section, rows, known) == write(section, rows, known)
        return write(section, rows, known)

    by_spark = build(spark, twice)
    there.settle()
    by_local = build(local_session(), here.writer("lag", "lag/", NOW, OWNERS, {}))
    for outlet, files in here.files.items():
        outlet.store.write(files)
    assert max(count for names, count in collected if "partition" in names) == MOST
    assert max(count for _, count in collected) == BUCKETS
    for name in SECTIONS:
        section, total = by_spark.section(name), len(full.section(name).rows)
        assert section.is_cut
        assert section.total == by_local.section(name).total == total > MOST
        assert f"lag/{name}.parquet and spark_catalog.whole.pko_lag_{name}." in section.note
        _same(spark, tmp_path, name, total)


def _same(spark: SparkSession, root: Path, name: str, total: int) -> None:
    here, there = (root / place for place in ("here", "there"))
    assert (there / "parquet" / "lag" / f"{name}.parquet").is_dir()
    found = rows(there / "parquet" / "lag" / f"{name}.parquet")
    assert found == rows(here / "parquet" / "lag" / f"{name}.parquet")
    assert lines(there / "csv" / "lag" / f"{name}.csv") == lines(
        here / "csv" / "lag" / f"{name}.csv"
    )
    table = spark.table(f"whole.pko_lag_{name}")
    assert table.count() == len(found[1]) == total
    assert {*table.columns} == {"run_id", "run_date", "run_time", "run_source", *dict(found[0])}


def test_the_command_names_the_tables_and_a_small_run_replaces_them(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    (tmp_path / "work").mkdir()
    work = Workload(tmp_path / "work", 1)
    out = tmp_path / "out"
    words = ["spark", "lag", *map(str, work.places), "--configs", str(work.settings), "--engine",
             "spark", "--now", "2030-01-01", "--parquet", str(out), "--csv", str(out / "csv"),
             "-o", "json"]  # fmt: skip
    monkeypatch.setattr("pykafka_ops.spark.session.close", lambda _: None)
    monkeypatch.setattr("pykafka_ops.spark.session.session", lambda _: spark)
    texts = []
    for caps in (True, False):
        with monkeypatch.context() as patched:
            if caps:
                lower_caps(patched)
            assert main(words) in (0, 1)
        section = json.loads(capsys.readouterr().out)["sections"]["partitions"]
        texts.append((section["note"], section["total"]))
        path = out / "partitions.parquet"
        assert path.is_dir() == caps
        assert len(rows(path)[1]) == section["total"]
        assert len(lines(out / "csv" / "partitions.csv")) == section["total"] + 1
        assert "partitions.parquet" in json.loads((out / "_report.json").read_text())["files"]
        assert not [p.name for p in out.iterdir() if p.name.startswith(".")]
    assert f"all are in {out / 'csv' / 'partitions.csv'}" in texts[0][0]
    assert "Showing" not in texts[1][0]


@pytest.mark.parametrize("kind", CUT)
def test_the_other_reports_write_theirs_whole_alike_on_both_engines(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any, kind: str
) -> None:
    cap, most, sections = CUT[kind]
    (tmp_path / "work").mkdir()
    work = Workload(tmp_path / "work", 1)
    monkeypatch.setattr("pykafka_ops.spark.session.close", lambda _: None)
    monkeypatch.setattr("pykafka_ops.spark.session.session", lambda _: spark)
    monkeypatch.setattr(f"pykafka_ops.spark.reports.{cap}", most)
    found = {}
    for engine in ("spark", "local"):
        out = tmp_path / engine
        words = ["spark", kind, *map(str, work.places), "--configs", str(work.settings), "--engine",
                 engine, "--now", "2030-01-01", "--parquet", str(out), "-o", "json"]  # fmt: skip
        assert main(words) in (0, 1)
        made = json.loads(capsys.readouterr().out)["sections"]
        for name in sections:
            shown, total = len(made[name]["rows"]), made[name]["total"]
            assert (name, shown < total) == (name, True)
            columns, every = rows(out / f"{name}.parquet")
            assert len(every) == total
            found[engine, name] = columns, sorted(every, key=str)
    for name in sections:
        assert found["spark", name] == found["local", name]
