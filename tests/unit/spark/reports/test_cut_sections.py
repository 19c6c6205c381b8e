"""Sections that hold the first of many rows say so everywhere."""

from __future__ import annotations

from pykafka_ops.commands.spark.judge import Judge
from pykafka_ops.spark.engines import local_session
from pykafka_ops.spark.model import Column, Report, Section
from pykafka_ops.spark.output.document import document
from pykafka_ops.spark.reports.lag import worst
from pykafka_ops.spark.reports.lag.judge import ROW
from tests.support.spark.given import frame_of

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


def test_rows_that_are_not_held_meet_a_condition_since_nobody_looked_at_them() -> None:
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
