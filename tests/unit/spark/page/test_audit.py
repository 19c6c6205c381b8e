"""The page of an audit: what differs comes first, and nothing is green that is not known."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pykafka_ops.spark.model import Report, Row, Section
from pykafka_ops.spark.page import audit, render
from pykafka_ops.spark.reports.audit import columns

COUNTED: Row = {"topic": "orders", "partition": 0, "records": 900, "bytes": 9_000, "new": 900}


def made(parts: Sequence[Row] | None) -> Report:
    sections = [
        Section("partitions", "Partitions", columns.PARTITIONS, parts or [],
                unknown="" if parts is not None else "nothing was compared"),
        Section("counted", "Counted", columns.COUNTED, [COUNTED]),
    ]  # fmt: skip
    return Report("audit", 1_763_800_000_000, {}, {}, sections)


def part(partition: int, state: str, missing: int = 0) -> Row:
    return {"topic": "orders", "partition": partition, "state": state, "missing": missing,
            "extra": 0, "differing": int(missing > 0)}  # fmt: skip


@pytest.mark.parametrize(
    ("parts", "said", "tone"),
    [
        (None, "900 records in 1 partition are counted.", "ok"),
        ([], "Neither tier has such a topic.", "warn"),
        ([part(0, "equal"), part(1, "equal")], "2 of 2 partitions agree.", "ok"),
        ([part(0, "equal"), part(1, "open")],
         "1 of 2 partitions agree, 1 are not settled yet.", "warn"),
        ([part(0, "equal"), part(1, "missing", 7)],
         "1 of 2 partitions differ: orders-1. Of records at least 7 are missing.", "bad"),
    ],
)  # fmt: skip
def test_the_headline_says_what_differs(parts: Sequence[Row] | None, said: str, tone: str) -> None:
    view = audit.view(made(parts))
    assert (view.headline, view.tone) == (said, tone)
    assert said.split(":")[0] in render([made(parts)])


def test_what_was_not_compared_has_no_figure() -> None:
    tiles = {tile.name: tile for tile in audit.tiles(made(None))}
    assert tiles["Missing"].value is None and tiles["Missing"].tone == "warn"
    assert tiles["Records"].value == 900
