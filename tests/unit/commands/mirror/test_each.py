"""Links that are looked at together."""

from __future__ import annotations

from threading import Barrier

from pykafka_ops.commands.mirror.each import side_by_side
from pykafka_ops.errors import ConnectError, PkoError
from tests.support.waiting import PATIENCE


def test_all_are_done_at_once_and_answer_in_their_order() -> None:
    together = Barrier(3)

    def work(number: int) -> int:
        together.wait(PATIENCE)
        return number * 10

    assert side_by_side([3, 1, 2], work) == [30, 10, 20]


def test_one_that_fails_is_in_the_place_of_its_answer() -> None:
    def work(number: int) -> int:
        if number == 2:
            raise ConnectError("away")
        return number

    one, two, three = side_by_side([1, 2, 3], work)
    assert (one, three) == (1, 3)
    assert isinstance(two, PkoError) and str(two) == "away"
    (alone,) = side_by_side([2], work)
    assert isinstance(alone, ConnectError)
