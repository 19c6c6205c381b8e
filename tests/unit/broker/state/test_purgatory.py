"""Waiting requests are completed exactly once, and one that fails harms no other."""

from __future__ import annotations

import gc
import weakref

from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.broker.state.purgatory import Purgatory, Waiter


class Wait:
    """A waiter with switches: what it was completed with stands in ``ended``."""

    def __init__(self, *keys: str, deadline: float = 100.0) -> None:
        self.is_ready = False
        self.asked = 0
        self.raises: Exception | None = None
        self.ended: list[object] = []
        self.waiter = Waiter(keys, deadline, self._ready, self.ended.append, self.ended.append)

    def _ready(self) -> bool:
        self.asked += 1
        if self.raises is not None:
            raise self.raises
        return self.is_ready


def purgatory_with(*waits: Wait) -> Purgatory:
    purgatory = Purgatory()
    for wait in waits:
        purgatory.add(wait.waiter)
    return purgatory


def test_waking_completes_who_is_ready_and_only_on_that_key() -> None:
    ready, unready, other = Wait("a"), Wait("a"), Wait("b")
    ready.is_ready = other.is_ready = True
    purgatory = purgatory_with(ready, unready, other)
    assert purgatory.wake("a") == 1
    assert (ready.ended, unready.ended, other.ended) == ([False], [], [])
    assert len(purgatory) == 2
    assert purgatory.wake("nobody waits here") == 0


def test_a_waiter_is_asked_once_for_all_keys_that_are_woken_together() -> None:
    wait, other = Wait("a", "b", "c"), Wait("c")
    other.is_ready = True
    assert purgatory_with(wait, other).wake("a", "b", "c", "d") == 1
    assert (wait.asked, other.asked) == (1, 1)


def test_a_waiter_on_several_keys_is_completed_once() -> None:
    wait = Wait("a", "b", "a")
    wait.is_ready = True
    purgatory = purgatory_with(wait)
    assert purgatory.wake("b") == 1
    assert purgatory.wake("a") == 0
    assert purgatory.expire(1000.0) == 0
    assert wait.ended == [False]
    assert not purgatory.watched("a")
    assert not purgatory.watched("b")


def test_expiry_completes_what_is_overdue_in_order_of_deadline() -> None:
    order: list[str] = []
    late, soon, never = Wait("k", deadline=20.0), Wait("k", deadline=10.0), Wait("k", deadline=30.5)
    late.waiter.finish = lambda expired: order.append(f"late {expired}")
    soon.waiter.finish = lambda expired: order.append(f"soon {expired}")
    purgatory = purgatory_with(late, soon, never)
    assert purgatory.next_deadline == 10.0
    assert purgatory.expire(9.9) == 0
    assert purgatory.expire(20.0) == 2
    assert order == ["soon True", "late True"]
    assert purgatory.next_deadline == 30.5
    assert len(purgatory) == 1


def test_a_dropped_waiter_is_never_completed() -> None:
    wait = Wait("a")
    wait.is_ready = True
    purgatory = purgatory_with(wait)
    purgatory.drop(wait.waiter)
    purgatory.drop(wait.waiter)
    assert (purgatory.wake("a"), purgatory.expire(1000.0), len(purgatory)) == (0, 0, 0)
    assert purgatory.next_deadline is None
    assert wait.ended == []


def test_a_waiter_that_raises_fails_alone() -> None:
    bad, good = Wait("a"), Wait("a")
    bad.raises = ValueError("disk gone")
    good.is_ready = True
    purgatory = purgatory_with(bad, good)
    assert purgatory.wake("a") == 2
    assert bad.ended == [bad.raises]
    assert good.ended == [False]
    assert len(purgatory) == 0


def test_a_waiter_that_cannot_be_finished_fails_alone() -> None:
    bad, good = Wait("a", deadline=1.0), Wait("a", deadline=2.0)
    error = ValueError("cannot encode")

    def finish(expired: bool) -> None:
        raise error

    bad.waiter.finish = finish
    purgatory = purgatory_with(bad, good)
    assert purgatory.expire(5.0) == 2
    assert (bad.ended, good.ended) == ([error], [True])


def test_finishing_may_add_and_drop_others() -> None:
    first, second, third = Wait("a"), Wait("a"), Wait("a")
    purgatory = purgatory_with(first, second)
    for wait in (first, second, third):
        wait.is_ready = True

    def finish(expired: bool) -> None:
        purgatory.drop(second.waiter)
        purgatory.add(third.waiter)

    first.waiter.finish = finish
    assert purgatory.wake("a") == 1
    assert (second.ended, third.ended) == ([], [])
    assert purgatory.wake("a") == 1
    assert third.ended == [False]


def test_what_ended_is_not_kept_until_its_deadline() -> None:
    class Answer:
        pass

    answer = Answer()
    seen = weakref.ref(answer)

    def finish(expired: bool, data: Answer = answer) -> None:
        return None

    waiter = Waiter(["a"], 1e9, lambda: True, finish, lambda error: None)
    purgatory = Purgatory()
    purgatory.add(waiter)
    del finish, answer
    purgatory.wake("a")
    gc.collect()
    assert seen() is None


def test_the_heap_stays_in_proportion_to_what_waits() -> None:
    purgatory = Purgatory()
    stays = Wait("stays", deadline=1e9)
    purgatory.add(stays.waiter)
    for _ in range(1000):
        wait = Wait("a", deadline=1e9)
        wait.is_ready = True
        purgatory.add(wait.waiter)
        purgatory.wake("a")
    assert len(purgatory) == 1
    assert len(purgatory._heap) <= 65


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(0, 3), st.integers(0, 50)),
        st.tuples(st.just("ready"), st.integers(0, 20), st.just(0)),
        st.tuples(st.just("drop"), st.integers(0, 20), st.just(0)),
        st.tuples(st.just("wake"), st.integers(0, 3), st.just(0)),
        st.tuples(st.just("expire"), st.integers(0, 60), st.just(0)),
    ),
    max_size=60,
)


@given(STEPS)
def test_every_waiter_ends_at_most_once_and_the_counts_agree(
    steps: list[tuple[str, int, int]],
) -> None:
    purgatory = Purgatory()
    waits: list[Wait] = []
    dropped: set[int] = set()
    for what, a, b in steps:
        if what == "add":
            waits.append(Wait(f"k{a}", f"k{(a + b) % 4}", deadline=float(b)))
            purgatory.add(waits[-1].waiter)
        elif what == "wake":
            purgatory.wake(f"k{a}")
        elif what == "expire":
            purgatory.expire(float(a))
        elif a < len(waits):
            if what == "ready":
                waits[a].is_ready = True
            else:
                if not waits[a].waiter.done:
                    dropped.add(a)
                purgatory.drop(waits[a].waiter)
    live = [w for w in waits if not w.waiter.done]
    assert len(purgatory) == len(live)
    assert all(len(w.ended) == (i not in dropped) for i, w in enumerate(waits) if w.waiter.done)
    assert purgatory.next_deadline == min((w.waiter.deadline for w in live), default=None)
    for key in ("k0", "k1", "k2", "k3"):
        assert purgatory.watched(key) == any(key in w.waiter.keys for w in live)
