"""Reset plans: kept within the log, compared with what is committed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.offset_reset import Clamped, OffsetChange, clamp, moves

P, Q = ("t", 0), ("t", 1)


def test_wishes_outside_the_log_are_moved_to_its_borders_and_told() -> None:
    wishes, starts, ends = {P: -5, Q: 99}, {P: 3, Q: 0}, {P: 9, Q: 20}
    assert clamp(wishes, starts, ends) == (
        {P: 3, Q: 20},
        [Clamped(P, -5, 3, high=False), Clamped(Q, 99, 20, high=True)],
    )


@given(st.integers(), st.integers(0, 50), st.integers(0, 50))
def test_every_offset_lies_within_the_log(wish: int, start: int, length: int) -> None:
    result, moved = clamp({P: wish}, {P: start}, {P: start + length})
    assert start <= result[P] <= start + length
    assert bool(moved) == (result[P] != wish)


def test_a_plan_tells_what_it_skips_and_what_it_repeats() -> None:
    assert moves({Q: 4, P: 9, ("a", 0): 1}, {Q: 10, P: 2}) == [
        OffsetChange("a", 0, None, 1, None),
        OffsetChange("t", 0, 2, 9, 7),
        OffsetChange("t", 1, 10, 4, -6),
    ]
