"""A plan reaches its goals or says which it does not; no plan copies less than is said."""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product
from math import ceil

from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.moves.goals import unmet
from pykafka_ops.analysis.moves.model import (
    BYTES,
    LEADERS,
    REPLICAS,
    Limits,
    MovePlan,
    PlanBroker,
    PlanPartition,
)
from pykafka_ops.analysis.moves.plan import plan_moves
from pykafka_ops.analysis.moves.state import PlanState

THREE = [PlanBroker(i) for i in range(3)]
Case = tuple[list[PlanPartition], list[PlanBroker], Limits]


def test_a_drain_that_replicas_leave_no_room_for_names_what_stays() -> None:
    partitions = [PlanPartition("t", p, (0, 1, 2), 10) for p in range(5)]
    plan = plan_moves(partitions, THREE, Limits(drain=frozenset({2}), balance=frozenset()))
    assert plan.moves == [] and plan.least is None
    assert plan.unmet == [
        "broker 2 keeps 5 replicas (t-0, t-1, t-2, ...): 3 replicas of a partition need 3 brokers, "
        "2 are left"
    ]


def test_partitions_that_were_not_asked_for_are_no_goal() -> None:
    partitions = [PlanPartition("a", 0, (2,), 10), PlanPartition("b", 0, (2,), 10, other=True)]
    plan = plan_moves(partitions, THREE, Limits(drain=frozenset({2}), balance=frozenset()))
    assert list(plan.after) == [("a", 0)] and plan.unmet == []


def test_a_partition_that_may_not_move_lacks_replicas_by_name() -> None:
    limits = Limits(replication_factor=2, balance=frozenset())
    plan = plan_moves([PlanPartition("t", 0, (0,), 10, fixed=True)], THREE, limits)
    assert plan.unmet == ["1 partition has no replication factor of 2 (t-0)"]


def test_only_new_brokers_are_asked_to_grow() -> None:
    partitions = [PlanPartition("t", p, (0,), 10) for p in range(9)]
    plan = plan_moves(partitions, THREE, Limits(add=frozenset({2}), balance=frozenset((BYTES,))))
    assert {m.target for m in plan.moves} == {2}
    assert plan.unmet == ["broker 0 stays +100% from its share"]


def test_the_least_of_a_drain_is_what_the_broker_holds() -> None:
    partitions = [PlanPartition("t", p, (p % 3,), 100 * (p + 1)) for p in range(6)]
    plan = plan_moves(partitions, THREE, Limits(drain=frozenset({2}), balance=frozenset()))
    assert plan.least == plan.moved == 900


@st.composite
def _cases(
    draw: st.DrawFn, most_brokers: int = 6, most_partitions: int = 12, most_replicas: int = 3
) -> Case:
    count = draw(st.integers(1, most_brokers))
    racks = draw(st.sampled_from([0, 0, 2, 3]))
    brokers = []
    for i in range(count):
        disks = draw(st.lists(st.integers(500, 5000), max_size=2))
        capacity = sum(disks) or None
        free = None if capacity is None else draw(st.none() | st.integers(0, capacity))
        brokers.append(PlanBroker(i, str(i % racks) if racks else None, capacity, free))
    partitions = []
    for p in range(draw(st.integers(0, most_partitions))):
        ids = draw(st.permutations(range(count + draw(st.sampled_from([0, 0, 1])))))
        held = draw(st.integers(1, min(most_replicas, len(ids))))
        kind = draw(st.sampled_from(["free"] * 8 + ["fixed", "other"]))
        size = draw(st.integers(0, 1000))
        partitions.append(
            PlanPartition("t", p, tuple(ids[:held]), size, kind == "fixed", kind == "other")
        )
    drain = frozenset(draw(st.sets(st.integers(0, count - 1), max_size=min(2, count - 1))))
    left = [i for i in range(count) if i not in drain]
    limits = Limits(
        drain=drain,
        add=frozenset(draw(st.sets(st.sampled_from(left), max_size=1))),
        keep=draw(st.sampled_from([frozenset(), frozenset({count})])),
        tolerance=draw(st.sampled_from([0, 0.1, 0.5])),
        balance=frozenset(draw(st.sets(st.sampled_from([BYTES, LEADERS, REPLICAS])))),
        replication_factor=draw(st.none() | st.integers(1, min(most_replicas, len(left)))),
        max_moves=draw(st.none() | st.integers(0, 5)),
        mend_racks=draw(st.booleans()),
        max_disk=draw(st.sampled_from([0.5, 1.0])),
    )
    return partitions, brokers, limits


def _after(partitions: list[PlanPartition], plan: MovePlan) -> dict[int, tuple[int, ...]]:
    return {p.partition: plan.after.get(("t", p.partition), p.replicas) for p in partitions}


@given(_cases())
def test_a_plan_reaches_its_goals_or_says_that_it_does_not(case: Case) -> None:
    partitions, brokers, limits = case
    plan = plan_moves(partitions, brokers, limits)
    if plan.unmet:
        assert plan.least is None
        return
    assert plan.least is not None and plan.least <= plan.moved
    open_ = {b.id for b in brokers} - limits.drain - limits.keep
    racks = {b.id: b.rack for b in brokers if b.id in open_ and b.rack}
    load: Counter[int] = Counter()
    after = _after(partitions, plan)
    for p in partitions:
        ids = after[p.partition]
        load.update(dict.fromkeys(ids, p.size))
        if p.other:
            assert ids == p.replicas
            continue
        assert set(ids) <= open_ | limits.keep
        assert len(ids) == (limits.replication_factor or len(p.replicas))
        if racks and limits.mend_racks:
            most = ceil(len(ids) / len(set(racks.values())))
            assert all(n <= most for n in Counter(racks[i] for i in ids if i in racks).values())
    if BYTES in limits.balance and not limits.add and len(open_) > 1 and not any(
        b.capacity for b in brokers
    ):  # fmt: skip
        mean = sum(n for i, n in load.items() if i not in limits.keep) / len(open_)
        assert all(abs(load[i] - mean) <= max(2, mean * limits.tolerance + 1) for i in open_)


@given(_cases(most_brokers=3, most_partitions=3, most_replicas=2))
def test_no_other_choice_of_replicas_reaches_as_much_with_fewer_bytes(case: Case) -> None:
    partitions, brokers, limits = case
    least = plan_moves(partitions, brokers, limits).least
    if least is None:
        return
    everybody = range(len(brokers) + 1)
    choices = [
        [p.replicas] if p.fixed or p.other else
        list(permutations(everybody, limits.replication_factor or len(p.replicas)))
        for p in partitions
    ]  # fmt: skip
    for chosen in product(*choices):
        state = PlanState(partitions, brokers, limits)
        copied = sum(
            p.size * len(set(ids) - set(p.replicas))
            for p, ids in zip(partitions, chosen, strict=True)
        )
        if copied < least and _may(state, partitions, chosen):
            _put(state, partitions, chosen)
            assert unmet(state), (chosen, copied, least)


def _may(
    state: PlanState, partitions: list[PlanPartition], chosen: tuple[tuple[int, ...], ...]
) -> bool:
    """Whether brokers only get what they may: open ones, and nothing leaves those that keep."""
    for p, ids in zip(partitions, chosen, strict=True):
        new, gone = set(ids) - set(p.replicas), set(p.replicas) - set(ids)
        if not new <= set(state.open) or (
            gone & state.limits.keep and state.limits.replication_factor is None
        ):
            return False
    return True


def _put(
    state: PlanState, partitions: list[PlanPartition], chosen: tuple[tuple[int, ...], ...]
) -> None:
    for p, ids in zip(partitions, chosen, strict=True):
        for id_ in set(p.replicas) - set(ids):
            state.drop(("t", p.partition), id_)
        for id_ in set(ids) - set(p.replicas):
            state.add(("t", p.partition), id_)
        state.replicas["t", p.partition] = ids
