"""Many cases in one test: none is left out, and those that fail are named."""

from __future__ import annotations

import inspect

import pytest

from tests.support.each import each


def test_all_cases_are_checked_and_those_that_fail_are_named() -> None:
    seen = []

    @each("one,other", [(1, 1), (1, 2), (3, 3), (4, 5)])
    def same(one: int, other: int, fixture: list[int]) -> None:
        fixture.append(one)
        assert one == other, "they differ"

    assert list(inspect.signature(same).parameters) == ["fixture"]
    with pytest.raises(AssertionError, match=r"2 of 4 cases fail\n\(1, 2\): .*\n.*\n\(4, 5\): "):
        same(fixture=seen)
    assert seen == [1, 1, 3, 4]


def test_a_test_of_no_cases_fails() -> None:
    @each("one", [])
    def nothing(one: int) -> None:
        assert one

    with pytest.raises(AssertionError, match="0 of 0"):
        nothing()
