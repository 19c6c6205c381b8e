"""Order and sequence numbers of what is written to one partition."""

from __future__ import annotations

from pykafka_ops.errors import PkoError
from pykafka_ops.mirror.copy.outlet import MOST_FLYING, TargetOutlet
from pykafka_ops.mirror.copy.pieces import SourceRun, TargetBatch


def batch(first: int, count: int = 10) -> TargetBatch:
    return TargetBatch(memoryview(bytearray(100)), (SourceRun(first, 0, count),), first + count)


def outlet(batches: int) -> TargetOutlet:
    made = TargetOutlet(("t", 0))
    for n in range(batches):
        assert made.put(batch(n * 10)) == n * 10
    return made


def fly(made: TargetOutlet) -> list[TargetBatch]:
    sent = []
    while made.sends:
        sent.append(made.next())
    return sent


def test_one_flies_until_the_first_is_acknowledged_then_five() -> None:
    made = outlet(9)
    (first,) = fly(made)
    made.took(first, 500)
    assert [b.sequence for b in fly(made)] == [10, 20, 30, 40, 50]
    assert len(made.flying) == MOST_FLYING
    assert [(a.batch.first, a.offset) for a in made.acked] == [(0, 500)]
    assert (made.load, made.bytes) == (8, 800)


def test_what_fails_goes_again_in_order_once_all_is_answered() -> None:
    made = outlet(6)
    made.took(fly(made)[0], 0)
    one, two, three, four, five = fly(made)
    made.again(one, 3.0)
    made.took(two, 7)
    assert not made.sends
    for late in (three, five, four):
        made.again(late, 4.0)
    assert made.since is None or made.since >= 3.0
    assert [b.sequence for b in fly(made)] == [10, 30, 50, 40]


def test_giving_up_goes_on_with_the_number_of_the_first_that_is_missing() -> None:
    made = outlet(6)
    made.took(fly(made)[0], 0)
    one, two, *rest = fly(made)
    made.took(one, 10)
    made.fails(two, PkoError("too large"))
    for late in rest:
        made.again(late, 1.0)
    assert str(made.failure) == "too large"
    made.give_up()
    assert (made.failure, made.load, made.bytes) == (None, 0, 0)
    assert made.put(batch(20)) == 20


def test_giving_up_counts_over_the_wrap_of_numbers() -> None:
    made = TargetOutlet(("t", 0))
    made.sequence = 2**31 - 5
    assert [made.put(batch(0)), made.put(batch(10))] == [2**31 - 5, 5]
    made.give_up()
    assert made.sequence == 2**31 - 5


def test_answers_of_a_former_producer_are_nothing() -> None:
    made = outlet(2)
    (old,) = fly(made)
    made.reset()
    made.took(old, 4)
    made.again(old, 1.0)
    made.fails(old, PkoError("x"))
    assert (list(made.acked), made.load, made.failure, made.proven) == ([], 0, None, False)
