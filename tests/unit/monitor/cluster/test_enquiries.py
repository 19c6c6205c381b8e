"""Questions of pages to a cluster: asked once in a while, bounded in time and number."""

from __future__ import annotations

from threading import Event, Thread
from typing import cast

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.errors import ConnectError
from pykafka_ops.monitor.cluster.enquiries import KEPT_SECONDS, MOST_WAITING, Enquiries
from tests.support.waiting import PATIENCE, wait_for


class Closable:
    """Stands for a cluster that nobody asks anything."""

    def __init__(self) -> None:
        self.closed = Event()

    def close(self) -> None:
        self.closed.set()


class Moved:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Moved:
    return Moved()


@pytest.fixture
def cluster() -> Closable:
    return Closable()


@pytest.fixture
def enquiries(cluster: Closable, clock: Moved) -> Enquiries:
    return Enquiries(cast("Cluster", cluster), clock)


def test_the_same_question_within_seconds_is_asked_once(enquiries: Enquiries, clock: Moved) -> None:
    asked = []

    def question(_: Cluster) -> int:
        asked.append(1)
        return len(asked)

    assert enquiries.ask(("x",), question, PATIENCE).value == 1
    clock.now = KEPT_SECONDS / 2
    assert enquiries.ask(("x",), question, PATIENCE) == (1, "", KEPT_SECONDS / 2)
    clock.now = KEPT_SECONDS
    assert enquiries.ask(("x",), question, PATIENCE) == (2, "", 0.0)
    assert enquiries.ask(("y",), question, PATIENCE).value == 3


def test_an_error_is_told_in_words(enquiries: Enquiries) -> None:
    def refused(_: Cluster) -> int:
        raise ConnectError("b1 is silent")

    def wrong(_: Cluster) -> int:
        raise KeyError("a fault of ours")

    assert enquiries.ask(("x",), refused, PATIENCE) == (None, "b1 is silent", 0.0)
    assert enquiries.ask(("y",), wrong, PATIENCE).why == "the monitor failed; its log says why"


def test_who_does_not_answer_in_time_leaves_the_old_answer_with_its_age(
    enquiries: Enquiries, clock: Moved
) -> None:
    assert enquiries.ask(("x",), lambda _: "old", PATIENCE).value == "old"
    clock.now, going = KEPT_SECONDS + 5, Event()
    slow = enquiries.ask(("x",), lambda _: going.wait(PATIENCE) and "new", 0.01)
    assert (slow.value, slow.age) == ("old", KEPT_SECONDS + 5)
    assert "no answer yet" in slow.why
    assert enquiries.ask(("y",), lambda _: "other", 0.01).value is None
    going.set()
    wait_for(lambda: enquiries.ask(("x",), lambda _: "newer", PATIENCE).value == "new",
             what="the slow answer comes")  # fmt: skip


def test_questions_that_wait_are_bounded(enquiries: Enquiries) -> None:
    going = Event()
    for n in range(MOST_WAITING):
        enquiries.ask((str(n),), lambda _: going.wait(PATIENCE), 0)
    refused = enquiries.ask(("more",), lambda _: "asked", PATIENCE)
    assert (refused.value, "too much is asked" in refused.why) == (None, True)
    going.set()
    wait_for(lambda: enquiries.ask(("more",), lambda _: "asked", PATIENCE).value == "asked",
             what="there is room again")  # fmt: skip


def test_many_who_ask_the_same_share_one_question(enquiries: Enquiries) -> None:
    going, asked, said = Event(), [], []

    def question(_: Cluster) -> str:
        asked.append(1)
        going.wait(PATIENCE)
        return "answer"

    def ask() -> None:
        said.append(enquiries.ask(("x",), question, PATIENCE).value)

    threads = [Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    going.set()
    for thread in threads:
        thread.join(PATIENCE)
    assert (said, len(asked)) == (["answer"] * 8, 1)


def test_at_the_end_the_connection_is_closed_and_nothing_more_is_asked(
    enquiries: Enquiries, cluster: Closable
) -> None:
    enquiries.close()
    enquiries.close()
    assert cluster.closed.wait(PATIENCE)
    assert enquiries.ask(("x",), lambda _: 1, PATIENCE).value is None
