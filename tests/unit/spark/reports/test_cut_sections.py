"""Sections that hold the first of many rows say so everywhere."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.analysis.owners import OwnerRules, TopicOwner
from pykafka_ops.commands.spark.judge import Judge
from pykafka_ops.spark.conditions import SectionCondition
from pykafka_ops.spark.engines import local_session
from pykafka_ops.spark.model import Column, MetRows, Report, Section
from pykafka_ops.spark.options import ReportOptions
from pykafka_ops.spark.output.document import document
from pykafka_ops.spark.reports.lag import columns, worst
from pykafka_ops.spark.reports.lag import report as lag
from pykafka_ops.spark.reports.lag.judge import ROW
from tests.support.spark.given import FrameInputs, frame_of
from tests.support.spark.lag_world import NOW, SPAN, World

COLUMNS = [Column("topic", "Topic"), Column("bytes", "Bytes", "bytes")]


def report(total: int | None) -> Report:
    rows = [{"topic": "a", "bytes": 1}, {"topic": "b", "bytes": 2}]
    section = Section("topics", "Topics", COLUMNS, rows, "Estimated.", total=total)
    return Report("skew", 0, {}, {}, [section])


def test_the_note_and_the_document_say_how_many_there_are() -> None:
    made = report(1_234)
    assert made.section("topics").note == "Showing 2 of 1,234 rows. Estimated."
    sections = document(made)["sections"]
    assert isinstance(sections, dict)
    assert sections["topics"]["total"] == 1_234


def test_a_whole_section_says_nothing_of_it() -> None:
    for total in (None, 2):
        made = report(total)
        assert made.section("topics").note == "Estimated."
        sections = document(made)["sections"]
        assert isinstance(sections, dict)
        assert sections["topics"]["total"] == 2


def test_rows_that_nobody_looked_at_meet_a_condition() -> None:
    judge = Judge(None, "bytes>100")
    assert judge.code([report(None)], []) == 0
    assert judge.code([report(3)], []) == 4
    assert judge.met([report(3)]) == [
        "Topics: Showing 2 of 3 rows. Estimated. The rest is not known."
    ]


def test_of_many_partitions_the_worst_and_the_first_to_lose_are_held() -> None:
    rows = [
        {"group": "g", "topic": "t", "partition": n, "status": "OK", "lag": n, "listed": True,
         "loss_in_seconds": float(n)}
        for n in range(worst.MOST_ROWS + 500)
    ]  # fmt: skip
    frame = frame_of(local_session(), [{n: r[n] for n in r if n != "listed"} for r in rows], ROW)
    totals = worst.partition_totals(frame)
    assert totals == worst.PartitionTotals(len(rows), 0.0, 0)
    held = worst.worst_first(frame, totals.partitions)["partition"].to_pylist()
    assert held[:2] == [len(rows) - 1, len(rows) - 2]
    assert held[-1] == 1  # partition 0 has no lag, so nothing that could be lost
    assert len(held) == worst.MOST_ROWS + 100


def partitions(count: int) -> Any:
    """Of one group; partition n has a lag of n."""
    rows = [
        {"group": "g", "topic": f"t{n % 3}", "partition": n, "status": "OK", "lag": n,
         "lag_seconds": n / 10}
        for n in range(count)
    ]  # fmt: skip
    return frame_of(local_session(), rows, ROW)


def test_all_rows_are_held_against_a_condition_though_few_are_held() -> None:
    owners = OwnerRules([("t1", TopicOwner("shop"))])
    for text, count in (("lag>=60", 40), ("lag>1000", 0), ("topic=t1", 33), ("owner=shop", 33)):
        asked = SectionCondition("partitions", text, owners)
        met = asked.met("partitions", partitions(100), columns.PARTITIONS)
        assert met is not None
        assert met.count == count
        assert len(met.rows) == min(count, 20)
    assert asked.met("groups", partitions(3), columns.GROUPS) is None  # another section
    changed = SectionCondition("partitions", "lag_change>5")
    assert (
        changed.met("partitions", partitions(3), columns.PARTITIONS) is None
    )  # only a few have it


def test_the_verdict_is_that_of_all_rows() -> None:
    judge = Judge("partitions", "lag>=60")
    held = [{"group": "g", "topic": "t", "partition": n, "lag": n} for n in (1, 2)]
    for count, code in ((0, 0), (40, 4)):
        rows = [{"group": "g", "topic": "t", "partition": 60 + n, "lag": 60 + n}
                for n in range(min(count, 20))]  # fmt: skip
        section = Section("partitions", "Partitions", columns.PARTITIONS, held, total=100,
                          met=MetRows(count, rows))  # fmt: skip
        made = Report("lag", 0, {}, {}, [section])
        assert judge.code([made], []) == code
        assert judge.count(made) == count
        lines = judge.met([made])
        assert len(lines) == (21 if count else 0)
        assert not count or lines[-1] == "Partitions: 20 rows more"


def test_a_lag_report_is_judged_by_partitions_that_it_does_not_hold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worst, "MOST_ROWS", 3)
    given = World(0, [NOW - SPAN + n * 600_000 for n in range(25)]).frames()

    def made(text: str) -> Report:
        inputs = FrameInputs(
            local_session(), now=NOW, since=NOW - SPAN, log_dirs=[],
            **given,  # type: ignore[arg-type]
        )  # fmt: skip
        return lag.build(inputs, ReportOptions(condition=SectionCondition("partitions", text)))

    section = made("lag>=0").section("partitions")
    assert section.is_cut
    assert section.met is not None
    assert len(section.rows) < section.met.count <= (section.total or 0)
    for text, code in (("partition>=0", 4), ("partition>100000", 0)):
        assert Judge("partitions", text).code([made(text)], []) == code
