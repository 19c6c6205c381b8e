"""Reports on a terminal: what matters first, within its width, whatever names hold."""

from __future__ import annotations

import importlib
import io
import json
import pkgutil
import re
from pathlib import Path

import pytest
import yaml

import pykafka_ops.spark.reports
from pykafka_ops.commands.spark.judge import main_section
from pykafka_ops.commands.spark.places import document_text, rows_text, tables
from pykafka_ops.commands.spark.show import TerminalPage, _cell
from pykafka_ops.spark.model import Column, Report, Section
from tests.support.spark import reports as spark_reports

REPORTS = (
    spark_reports.lag_report(),
    spark_reports.skew_report(),
    spark_reports.retention_report(),
)


def shown(report: Report, width: int | None, *, wide: bool = False, colours: bool = False) -> str:
    out = io.StringIO()
    page = TerminalPage(out, width, colours=colours)
    page.report(report, main_section(report, None), wide=wide, top=3)
    return out.getvalue()


@pytest.mark.parametrize("report", REPORTS, ids=lambda r: r.kind)
@pytest.mark.parametrize("width", [40, 80, 140])
def test_no_line_is_wider_than_the_terminal(report: Report, width: int) -> None:
    lines = [line.rstrip() for line in shown(report, width).splitlines()]
    assert max(map(len, lines)) <= width
    titles = [s.title for s in report.sections]
    first = next(line for line in lines if line.split("  ")[0] in titles)
    assert first == main_section(report, None).title


def shapes() -> list[tuple[Column, ...]]:
    """The columns of every section that a report declares."""
    found: dict[tuple[str, ...], tuple[Column, ...]] = {}
    for module in pkgutil.walk_packages(pykafka_ops.spark.reports.__path__, f"{REPORTS_IN}."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, tuple) and value and all(isinstance(c, Column) for c in value):
                found[tuple(c.name for c in value)] = value
    return list(found.values())


REPORTS_IN = "pykafka_ops.spark.reports"
SHAPES = shapes()
LONG = "payments." + "europe-west." * 15 + "v1"
NUMBER = 9_223_372_036_854_775_807


def test_every_section_is_looked_at() -> None:
    sources = [p.read_text() for p in Path(pykafka_ops.spark.reports.__path__[0]).rglob("*.py")]
    assert len(SHAPES) >= sum(text.count(" Section(") for text in sources) > 20
    assert all(text.count(" Section(") == text.count(", columns.") for text in sources)


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("columns", SHAPES, ids=lambda c: "-".join(x.name for x in c)[:60])
def test_no_number_is_broken_and_no_long_name_widens_other_rows(
    columns: tuple[Column, ...], width: int
) -> None:
    def value(column: Column, row: int, place: int) -> object:
        if column.unit == "ms":
            return 1_763_800_000_000
        if column.unit or column.kind == "number":
            return NUMBER // 10 ** (place * row)
        return [1, 2, 3] if column.kind == "list" else LONG if row == place % 3 else "orders"

    rows = [{c.name: value(c, row, n) for n, c in enumerate(columns)} for row in range(3)]
    report = Report("lag", 0, {}, {}, [Section("groups", "Groups", columns, rows)])
    text = shown(report, width, wide=True)
    missing = " ".join(text.partition("no room for ")[2].split())
    for column in columns:
        if column.title not in missing and (column.unit or column.kind == "number"):
            for row in rows:
                assert _cell(row[column.name], column).plain in text
    for line in text.splitlines():
        assert len(line.rstrip()) <= width or LONG in line
    assert not [line for line in text.splitlines() if "orders" in line and len(line) > width]


def test_what_is_left_out_is_said() -> None:
    text = shown(spark_reports.lag_report(), 80)
    assert "5 more rows (--top, -o json); no room for " in text
    assert "2 places could not be read" in text
    assert "no room for" not in shown(spark_reports.lag_report(), None)


def test_what_to_do_stands_below_in_full() -> None:
    text = " ".join(shown(spark_reports.skew_report(), 60).split())
    assert "What to do → clicks: partition 0 holds 24%, key user-1 alone 18%" in text


def test_wide_shows_every_section_that_has_rows() -> None:
    report = spark_reports.lag_report()
    text = shown(report, 140, wide=True)
    for section in report.sections:
        assert (f"\n{section.title}\n" in text) == bool(section.rows)


def test_names_cannot_draw_on_the_screen() -> None:
    evil = "a\x1b[2J\r\n\u202e\u2028b[red]"
    columns = (
        Column("group", "Group"),
        Column("status", "Verdict"),
        Column("lag", "Lag"),
    )
    rows = [{"group": evil, "status": "STOP", "lag": 5}]
    report = Report("lag", 0, {}, {}, [Section("groups", "Groups", columns, rows)])
    for width in (40, 80, None):
        text = shown(report, width)
        assert re.findall(r"[^\x20-\x7e\n·–…→]", text) == []
        assert "[red]" in text


def test_colours_are_for_verdicts_and_changes() -> None:
    columns = (Column("group", "Group"), Column("status", "Verdict"),
               Column("lag_change", "Lag +/-", "records"))  # fmt: skip
    rows = [{"group": "a", "status": "STOP", "lag_change": 5}]
    report = Report("lag", 0, {}, {}, [Section("groups", "Groups", columns, rows)])
    text = shown(report, 80, colours=True).replace(" ", "")
    assert "\x1b[31mSTOP\x1b[0m" in text
    assert "\x1b[33m+5\x1b[0m" in text
    assert "\x1b" not in shown(report, 80)


def test_every_form_tells_the_same() -> None:
    whole = json.loads(document_text(REPORTS, "json", indent=False))
    assert yaml.safe_load(document_text(REPORTS, "yaml", indent=False)) == whole
    assert [r["kind"] for r in whole["reports"]] == [
        "lag-report", "skew-report", "retention-report"
    ]  # fmt: skip
    one = json.loads(document_text(REPORTS[1:2], "json", indent=True))
    assert one == whole["reports"][1]
    assert whole["verdict"]["tone"] == one["verdict"]["tone"] == "bad"
    lag = whole["reports"][0]
    groups = [row["group"] for row in lag["sections"]["groups"]["rows"]]
    assert rows_text(REPORTS[0], None, "name").split() == groups
    assert rows_text(REPORTS[0], "topics", "csv").splitlines()[0] == ",".join(
        c["name"] for c in lag["sections"]["topics"]["columns"]
    )


def test_text_for_a_file_has_no_trailing_blanks() -> None:
    text = tables(REPORTS, None, wide=False, top=10, terminal=False)
    assert [line for line in text.splitlines() if line != line.rstrip()] == []
    assert "\x1b" not in text
