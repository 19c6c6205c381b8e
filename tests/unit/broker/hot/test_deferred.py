"""An answer that comes later is given exactly once, to whoever still waits for it."""

from __future__ import annotations

from pykafka_ops.broker.hot.deferred import Deferred


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


def test_who_is_gone_needs_no_shape() -> None:
    answer = Deferred()
    answer.shaped(lambda _: 1 / 0)
    answer.abandon()
    assert not answer.resolve(3)
