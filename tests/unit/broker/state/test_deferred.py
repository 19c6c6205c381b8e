"""Answers that are there, or come later, are taken alike."""

from __future__ import annotations

from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.state.deferred import all_of, shaped


def test_an_answer_that_is_there_is_shaped_at_once() -> None:
    answer = Deferred()
    answer.resolve(3)
    assert answer.shaped(lambda n: n + 1) == 4
    assert shaped(3, lambda n: n + 1) == 4


def test_an_answer_to_come_is_shaped_when_it_comes() -> None:
    answer = Deferred()
    assert shaped(answer, lambda n: n + 1) is answer
    assert answer.shaped(str) is answer
    said: list[object] = []
    answer.then(said.append)
    answer.resolve(3)
    assert said == ["4"]
    assert answer.answer == "4"


def test_all_answers_come_together_in_their_order() -> None:
    first, last = Deferred(), Deferred()
    together = all_of([first, "b", last])
    assert isinstance(together, Deferred)
    last.resolve("c")
    assert not together.done
    first.resolve("a")
    assert together.answer == ["a", "b", "c"]


def test_answers_that_are_all_there_are_no_promise() -> None:
    done = Deferred()
    done.resolve("a")
    assert all_of([done, "b"]) == ["a", "b"]
    assert all_of([]) == []
