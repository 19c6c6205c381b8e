"""What a report says on top of what cannot be read."""

from __future__ import annotations

from pykafka_ops.spark.model import Problem
from pykafka_ops.spark.reports.damage import DamageTally


def test_that_nothing_is_damaged_is_known_only_where_all_was_read() -> None:
    tally = DamageTally()
    assert tally.figures(whole=True) == {"damaged_places": 0, "damaged_bytes": 0}
    assert tally.figures(whole=False) == {"damaged_places": None, "damaged_bytes": None}
    tally.add(Problem("/d/t-0/0.log at byte 7", "wrong CRC"), 70)
    tally.add(Problem("/d/t-0/0.log at byte 7", "wrong CRC"), 70)
    for whole in (True, False):
        assert tally.figures(whole=whole) == {"damaged_places": 1, "damaged_bytes": 70}
