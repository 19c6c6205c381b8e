"""Plans that level replicas and leaders, change the replication factor, and leave much alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.moves.model import (
    BYTES,
    LEADERS,
    REPLICAS,
    Limits,
    MovePlan,
    PlanBroker,
    PlanError,
    PlanPartition,
    PlanShare,
    ReplicaMove,
)
from pykafka_ops.analysis.moves.plan import plan_moves

ALL = frozenset((BYTES, REPLICAS, LEADERS))
THREE = [PlanBroker(i) for i in range(3)]


def held(shares: dict[int, PlanShare]) -> dict[int, int]:
    """Bytes by broker."""
    return {id_: share.bytes for id_, share in shares.items()}


def test_empty_partitions_are_spread_by_number() -> None:
    partitions = [PlanPartition("t", p, (0,), 0) for p in range(9)]
    plan = plan_moves(partitions, THREE, Limits(balance=ALL))
    assert [s.replicas for s in plan.shares_after.values()] == [3, 3, 3]
    assert [s.leaders for s in plan.shares_after.values()] == [3, 3, 3]
    assert len(plan.moves) == 6 and plan.moved == 0


def test_leaders_are_levelled_without_copying_a_byte() -> None:
    partitions = [PlanPartition("t", p, (0, 1, 2), 100) for p in range(9)]
    plan = plan_moves(partitions, THREE, Limits(balance=ALL))
    assert plan.moves == [] and len(plan.after) == 6
    assert all(sorted(ids) == [0, 1, 2] for ids in plan.after.values())
    assert [s.leaders for s in plan.shares_after.values()] == [3, 3, 3]


def test_a_leader_goes_over_a_broker_in_between_where_two_have_no_partition_in_common() -> None:
    partitions = [
        *(PlanPartition("a", p, (0, 1), 10) for p in range(3)),
        *(PlanPartition("b", p, (1, 2), 10) for p in range(2)),
        PlanPartition("c", 0, (2, 1), 10),
    ]
    plan = plan_moves(partitions, THREE, Limits(balance=frozenset((LEADERS,))))
    assert [s.leaders for s in plan.shares_after.values()] == [2, 2, 2]
    assert plan.after == {("a", 0): (1, 0), ("b", 0): (2, 1)}


def test_the_smallest_replicas_level_the_numbers() -> None:
    partitions = [
        PlanPartition("big", 0, (1,), 1000),
        PlanPartition("big", 1, (2,), 1000),
        *(PlanPartition("t", p, (0,), 900 + p) for p in range(1)),
        *(PlanPartition("t", p, (0,), p) for p in range(1, 8)),
    ]
    plan = plan_moves(partitions, THREE, Limits(balance=frozenset((BYTES, REPLICAS))))
    assert [s.replicas for s in plan.shares_after.values()] == [4, 3, 3]
    assert sorted(m.size for m in plan.moves) == [1, 2, 3, 4]


def test_numbers_are_not_levelled_at_the_cost_of_bytes() -> None:
    partitions = [PlanPartition("s", p, (0,), 10) for p in range(10)] + [
        PlanPartition("l", 0, (1,), 100)
    ]
    plan = plan_moves(partitions, THREE[:2], Limits(balance=ALL))  # one of ten is in the tolerance
    assert plan.moves == [ReplicaMove("s", 9, 0, 1, 10)]
    assert plan.unmet[0].startswith("broker 0 stays with")


def test_fixed_partitions_stay_and_weigh() -> None:
    fixed = [PlanPartition("f", p, (0,), 100, fixed=True) for p in range(3)]
    free = [PlanPartition("t", p, (1,), 100) for p in range(3)]
    plan = plan_moves(fixed + free, THREE, Limits(balance=ALL))
    assert {m.topic for m in plan.moves} == {"t"} and {m.target for m in plan.moves} == {2}
    drained = plan_moves(fixed, THREE, Limits(drain=frozenset({0})))
    assert drained.moves == []
    assert drained.unmet[0] == "broker 0 keeps 3 replicas (f-0, f-1, f-2): may not be moved now"


def test_what_a_broker_that_is_down_holds_stays_there() -> None:
    partitions = [PlanPartition("t", p, (2, p % 2), 10) for p in range(8)]
    plan = plan_moves(partitions, THREE[:2], Limits(keep=frozenset({2}), balance=ALL))
    assert plan.moves == [] and plan.shares_after[2].replicas == 8
    moved = plan_moves(partitions, THREE[:2], Limits(drain=frozenset({2}), balance=ALL))
    assert moved.shares_after[2].replicas == 0 and len(moved.moves) == 8


def test_more_replicas_are_put_where_there_is_least() -> None:
    partitions = [PlanPartition("t", p, (p % 2,), 10 * (p + 1)) for p in range(6)]
    plan = plan_moves(partitions, THREE, Limits(replication_factor=2, balance=ALL))
    assert all(len(set(ids)) == 2 for ids in plan.after.values()) and len(plan.after) == 6
    added = [m for m in plan.moves if m.source is None]
    assert {(m.topic, m.partition) for m in added} == {("t", p) for p in range(6)}
    assert max(held(plan.shares_after).values()) - min(held(plan.shares_after).values()) <= 60
    assert plan.moved == sum(m.size for m in plan.moves)


def test_fewer_replicas_keep_the_leader_and_copy_nothing() -> None:
    partitions = [PlanPartition("t", p, (p % 3, (p + 1) % 3, (p + 2) % 3), 10) for p in range(6)]
    plan = plan_moves(partitions, THREE, Limits(replication_factor=1, balance=ALL))
    assert plan.after == {("t", p): (p % 3,) for p in range(6)}
    assert plan.moved == 0 and all(m.target is None for m in plan.moves)


def test_fewer_replicas_leave_brokers_that_are_down_and_racks_that_have_two() -> None:
    racks = [PlanBroker(0, "a"), PlanBroker(1, "a"), PlanBroker(2, "b")]
    plan = plan_moves([PlanPartition("t", 0, (0, 1, 2), 5)], racks, Limits(replication_factor=2))
    assert plan.after == {("t", 0): (0, 2)}
    down = Limits(replication_factor=1, keep=frozenset({1}))
    assert plan_moves([PlanPartition("t", 0, (1, 0), 5)], THREE[:1], down).after == {("t", 0): (0,)}


@pytest.mark.parametrize(("factor", "text"), [(4, "needs 4 brokers"), (0, "give 1 or more")])
def test_a_factor_that_cannot_be_had_is_refused(factor: int, text: str) -> None:
    with pytest.raises(PlanError, match=text):
        plan_moves([PlanPartition("t", 0, (0,), 1)], THREE, Limits(replication_factor=factor))


def test_what_is_used_by_others_counts_as_full() -> None:
    partitions = [PlanPartition("t", p, (0,), 10) for p in range(10)]
    brokers = [PlanBroker(0, None, 1000, 500), PlanBroker(1, None, 1000, 150)]
    plan = plan_moves(partitions, brokers, Limits(max_disk=0.9))
    assert plan.moved == 50
    assert plan_moves(partitions, brokers, Limits(max_disk=0.8)).moves == []


@st.composite
def _clusters(draw: st.DrawFn) -> tuple[list[PlanPartition], list[PlanBroker], Limits]:
    count = draw(st.integers(1, 7))
    racks = draw(st.sampled_from([0, 0, 2, 3]))
    brokers = [PlanBroker(i, str(i % racks) if racks else None) for i in range(count)]
    partitions = []
    for p in range(draw(st.integers(0, 14))):
        ids = draw(st.permutations(range(count)))
        held = draw(st.integers(1, min(3, len(ids))))
        size = draw(st.integers(0, 1000) | st.just(0))
        fixed = draw(st.sampled_from([False] * 6 + [True]))
        partitions.append(PlanPartition("t", p, tuple(ids[:held]), size, fixed))
    drain = frozenset(draw(st.sets(st.integers(0, count - 1), max_size=min(2, count - 1))))
    factor = draw(st.none() | st.integers(1, count - len(drain)))
    limits = Limits(
        drain=drain,
        tolerance=draw(st.sampled_from([0, 0.1])),
        balance=frozenset(draw(st.sets(st.sampled_from(sorted(ALL))))),
        replication_factor=factor,
        max_moves=draw(st.none() | st.integers(0, 5)),
    )
    return partitions, brokers, limits


def _after(partitions: list[PlanPartition], plan: MovePlan) -> list[PlanPartition]:
    return [replace(p, replicas=plan.after.get((p.topic, p.partition), p.replicas))
            for p in partitions]  # fmt: skip


@given(_clusters())
def test_every_plan_keeps_the_rules(
    case: tuple[list[PlanPartition], list[PlanBroker], Limits],
) -> None:
    partitions, brokers, limits = case
    plan = plan_moves(partitions, brokers, limits)
    assert plan == plan_moves(partitions[::-1], brokers[::-1], limits)
    leaders: Counter[int] = Counter()
    load: Counter[int] = Counter()
    for old, new in zip(partitions, _after(partitions, plan), strict=True):
        ids = new.replicas
        assert ids and len(set(ids)) == len(ids)
        leaders[ids[0]] += 1
        load.update(dict.fromkeys(ids, old.size))
        if old.fixed:
            assert ids == old.replicas
        elif not plan.unmet:
            assert not limits.drain & set(ids)
            assert len(ids) == (limits.replication_factor or len(old.replicas))
    for id_, share in plan.shares_after.items():
        assert (share.leaders, share.bytes) == (leaders[id_], load[id_])
    assert sum(m.size for m in plan.moves if m.source is None) - sum(
        m.size for m in plan.moves if m.target is None
    ) == sum(held(plan.shares_after).values()) - sum(held(plan.shares_before).values())
    assert (plan.least is None) == bool(plan.unmet)
    assert plan.least is None or plan.least <= plan.moved


@given(_clusters())
def test_what_a_plan_reached_needs_no_other(
    case: tuple[list[PlanPartition], list[PlanBroker], Limits],
) -> None:
    partitions, brokers, limits = case
    plan = plan_moves(partitions, brokers, limits)
    if not plan.unmet:
        again = plan_moves(_after(partitions, plan), brokers, limits)
        assert again.moves == [] and again.after == {}


@given(_clusters())
def test_leaders_alone_move_nothing(
    case: tuple[list[PlanPartition], list[PlanBroker], Limits],
) -> None:
    partitions, brokers, _ = case
    plan = plan_moves(partitions, brokers, Limits(balance=frozenset((LEADERS,)), mend_racks=False))
    assert plan.moves == []
    assert all(sorted(plan.before[k]) == sorted(plan.after[k]) for k in plan.after)


def test_one_full_broker_of_many_gives_to_those_that_hold_least() -> None:
    """More brokers than are tried with one at a time."""
    brokers = [PlanBroker(i) for i in range(200)]
    partitions = [
        *(PlanPartition("even", p, (p,), 1_000 - p) for p in range(200)),
        *(PlanPartition("hot", p, (0,), 100) for p in range(30)),
    ]
    plan = plan_moves(partitions, brokers, Limits(tolerance=0.15))
    assert {move.source for move in plan.moves} == {0}
    after = held(plan.shares_after)
    assert after[0] <= 1.15 * sum(after.values()) / len(after)
    assert all(move.target >= 100 for move in plan.moves)
