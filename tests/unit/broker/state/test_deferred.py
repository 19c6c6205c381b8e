"""An answer that comes later is given exactly once, to whoever still waits for it."""

from __future__ import annotations

from pykafka_ops.broker.state.deferred import Deferred, all_of, shaped


def test_the_callback_gets_the_answer_when_it_comes() -> None:
    deferred, answers = Deferred(), []
    deferred.then(answers.append)
    assert answers == []
    assert deferred.resolve("yes")
    assert answers == ["yes"]
    assert (deferred.done, deferred.answer) == (True, "yes")


def test_a_callback_set_after_the_answer_is_called_at_once() -> None:
    deferred, answers = Deferred(), []
    deferred.resolve("early")
    deferred.then(answers.append)
    assert answers == ["early"]


def test_only_the_first_answer_counts() -> None:
    deferred, answers = Deferred(), []
    deferred.then(answers.append)
    assert deferred.resolve(1)
    assert not deferred.resolve(2)
    assert answers == [1]


def test_an_answer_given_while_the_first_is_delivered_does_nothing() -> None:
    deferred, answers = Deferred(), []

    def deliver(answer: object) -> None:
        answers.append(answer)
        assert not deferred.resolve("again")

    deferred.then(deliver)
    deferred.resolve("once")
    assert answers == ["once"]


def test_abandoning_stops_the_work_and_silences_the_answer() -> None:
    deferred, answers, stopped = Deferred(), [], []
    deferred.then(answers.append)
    deferred.on_abandon = lambda: stopped.append(True)
    deferred.abandon()
    deferred.abandon()
    assert not deferred.resolve("late")
    assert (answers, stopped) == ([], [True])


def test_what_is_answered_cannot_be_abandoned() -> None:
    deferred, stopped = Deferred(), []
    deferred.on_abandon = lambda: stopped.append(True)
    deferred.resolve("done")
    deferred.abandon()
    assert stopped == []


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


def test_who_is_gone_needs_no_shape() -> None:
    answer = Deferred()
    answer.shaped(lambda _: 1 / 0)
    answer.abandon()
    assert not answer.resolve(3)


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
