"""Who may hold how much of what clients make a broker hold."""

from __future__ import annotations

from pykafka_ops.broker.state.memory import Account, Holder, Memory

MIB = 1 << 20


def greedy(holders: list[Holder], step: int) -> None:
    """All take what they can get, in turns."""
    while sum(_takes(holder, step) for holder in holders):
        pass


def _takes(holder: Holder, step: int) -> bool:
    if not holder.admits(step):
        return False
    holder.change(step)
    return True


def test_one_who_takes_all_gets_half_and_of_many_each_an_equal_part() -> None:
    for count in (1, 2, 9):
        account = Account(100 * MIB)
        holders = [account.holder() for _ in range(count)]
        greedy(holders, MIB)
        fair = 100 * MIB // (count + 1)
        assert all(abs(fair - holder.held) <= MIB for holder in holders)
        assert account.admits(fair - count * MIB), "as much is left for the next one"


def test_who_needs_little_goes_on_beside_those_who_take_all() -> None:
    account = Account(100 * MIB)
    greedy([account.holder() for _ in range(50)], 1000)
    small = account.holder()
    assert small.admits(MIB)
    small.change(MIB)
    assert small.admits(0)
    assert small.admits(-10)


def test_what_is_released_is_free_and_counts_no_more() -> None:
    account = Account(10)
    holder = account.holder()
    holder.change(8)
    holder.release()
    holder.change(5)
    assert (account.held, account.admits(10)) == (0, True)


def test_requests_have_what_state_and_answers_leave() -> None:
    memory = Memory(400 * MIB)
    memory.state.holder().change(100 * MIB)
    memory.answers.holder().change(50 * MIB)
    memory.producers.holder().change(20 * MIB)
    assert memory.for_requests == 230 * MIB
    memory.set_limit(200 * MIB)
    assert (memory.state.limit, memory.answers.limit) == (100 * MIB, 50 * MIB)
    assert memory.producers.limit == 25 * MIB
    assert memory.for_requests == 30 * MIB
