"""The columns of a comparison of two runs."""

from __future__ import annotations

from typing import Final

from pykafka_ops.analysis.run_changes import STATES
from pykafka_ops.spark.model import Column
from pykafka_ops.spark.reports.compare.verdicts import TURNS

CHANGES: Final = (
    Column("section", "Section"),
    Column("row", "Row", doc="What identifies it, such as group, topic and partition."),
    Column("group", "Group", detail=True, spare=True),
    Column("topic", "Topic", detail=True, spare=True),
    Column("state", "State", values=STATES),
    Column("verdict", "Verdict", doc="Of both runs where it differs.", spare=True),
    Column("turn", "Turn", values=TURNS, spare=True, doc="Whether the verdict got worse."),
    Column("figure", "Figure", doc="The field that rows of the section are compared by."),
    Column("said", "Change", doc="Its values in both runs."),
    Column("before", "Before", kind="number", detail=True, spare=True,
           doc="Empty: not known, or no such row."),
    Column("after", "After", kind="number", detail=True, spare=True,
           doc="Empty: not known, or no such row."),
    Column("change", "By", kind="number", detail=True,
           doc="After less before, a row that is not there counts as 0; empty: not known."),
    Column("weight", "Of all", "share",
           "The change against the sum over the section, where that is larger."),
    Column("fields", "Also", kind="list", doc="Other fields that differ.", spare=True),
)  # fmt: skip
SECTIONS: Final = (
    Column("section", "Section"),
    Column("rows_before", "Rows before", kind="number"),
    Column("rows_after", "Rows after", kind="number"),
    Column("new", "New", kind="number"),
    Column("gone", "Gone", kind="number"),
    Column("changed", "Changed", kind="number"),
    Column("figure", "Figure"),
    Column("sum_before", "Sum before", kind="number", doc="Of the rows where it is known."),
    Column("sum_after", "Sum after", kind="number", doc="Of the rows where it is known."),
)
