"""Whether the preferred replica leads, and why not."""

from __future__ import annotations

from pykafka_ops.analysis.elections import BEHIND, DOWN, ELSEWHERE, NO_LEADER, preferred_state


def test_each_reason_is_told_apart() -> None:
    cases = {
        (1, 1, (1, 2), (1, 2)): "",
        (2, 1, (1, 2), (1, 2)): ELSEWHERE,
        (2, 1, (2,), (1, 2)): BEHIND,
        (2, 1, (2,), (2,)): DOWN,
        (2, 1, (1, 2), (2,)): DOWN,
        (-1, 1, (), (2,)): NO_LEADER,
    }
    for given, expected in cases.items():
        assert preferred_state(*given) == expected, given
