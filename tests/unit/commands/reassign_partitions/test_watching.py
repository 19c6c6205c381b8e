"""The line that shows how far moves are."""

from __future__ import annotations

import pytest

from pykafka_ops.analysis.moves.rate import Speed
from pykafka_ops.analysis.moves.waves import PartitionMove
from pykafka_ops.commands.reassign_partitions.runner import MOVING, WAITING, MoveProgress
from pykafka_ops.commands.reassign_partitions.watching import line

MIB = 1 << 20
JOBS = [
    MoveProgress(PartitionMove(("orders", 0), (1, 2), (1, 3), 30 * MIB), MOVING, copied=10 * MIB),
    MoveProgress(PartitionMove(("orders", 1), (1, 2), (1, 3), 10 * MIB), WAITING),
]


def test_all_is_told_where_there_is_room() -> None:
    assert line(JOBS, Speed(), 5 * MIB) == (
        "[######..................] 25%, 10.0 MiB of 40.0 MiB, 0 of 2 partitions (1 moving), "
        "0 B/s (throttle 5.0 MiB/s), ? left"
    )


@pytest.mark.parametrize(
    ("room", "start"),
    [(200, "[###"), (100, "[###"), (82, "25%, 10.0 MiB"), (60, "25%, 10.0 MiB"), (12, "25%, 10")],
)
def test_it_never_is_longer_than_the_terminal_is_wide(room: int, start: str) -> None:
    text = line(JOBS, Speed(), 5 * MIB, room)
    assert len(text) <= room
    assert text.startswith(start)
    if room >= 60:
        assert text.endswith("? left")
