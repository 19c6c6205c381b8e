"""Where records arrived is told in a line."""

from __future__ import annotations

import pytest

from pykafka_ops.commands.produce.arrived import Arrived


@pytest.mark.parametrize(
    ("records", "text"),
    [
        ([], ""),
        ([(0, 15)], "1 record: t-0 at 15"),
        ([(0, 15), (0, 16), (0, 17)], "3 records: t-0 at 15..17"),
        ([(0, 17), (0, 15), (0, 16)], "3 records: t-0 at 15..17"),
        ([(1, 5), (0, 3), (1, 6)], "3 records: t-0 at 3, t-1 at 5..6"),
        ([(0, 15), (0, 19)], "2 records: t-0 at 15..19 (2 of them)"),
        ([(0, None), (0, None), (2, -1)], "3 records: t-0, t-2"),
    ],
)
def test_a_line_counts_and_places_them(records: list[tuple[int, int | None]], text: str) -> None:
    arrived = Arrived()
    for partition, offset in records:
        arrived.add(partition, offset)
    assert arrived.text("t") == text


def test_of_many_partitions_some_are_named() -> None:
    arrived = Arrived()
    for partition in range(10):
        arrived.add(partition, 7)
    assert arrived.text("t").endswith("t-7 at 7 and 2 more partitions")
