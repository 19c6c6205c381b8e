"""Plans of moves: what they keep, and that they move little."""

from __future__ import annotations

import json
from collections import Counter
from math import ceil
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.moves.model import (
    Limits,
    MovePlan,
    PlanBroker,
    PlanPartition,
    PlanShare,
    ReplicaMove,
)
from pykafka_ops.analysis.moves.plan import plan_moves, reassignment

GOLDEN = Path(__file__).parents[3] / "golden"
FOUR = [PlanBroker(i) for i in range(4)]


def _even(count: int, size: int = 100) -> list[PlanPartition]:
    return [PlanPartition("t", p, (p % 4, (p + 1) % 4), size) for p in range(count)]


def held(shares: dict[int, PlanShare]) -> dict[int, int]:
    """Bytes by broker."""
    return {id_: share.bytes for id_, share in shares.items()}


def test_what_is_even_is_left_alone() -> None:
    plan = plan_moves(_even(8), FOUR)
    assert plan.moves == [] and plan.after == {} and plan.unmet == []
    assert held(plan.shares_before) == held(plan.shares_after) == dict.fromkeys(range(4), 400)


def test_the_move_that_fits_is_made() -> None:
    # 0 holds 90 of 120, 1 holds 30: 30 too much, and there is a replica of just that.
    sizes = [45, 30, 15, 20, 10]
    partitions = [PlanPartition("t", p, (0,) if p < 3 else (1,), s) for p, s in enumerate(sizes)]
    plan = plan_moves(partitions, FOUR[:2])
    assert plan.moves == [ReplicaMove("t", 1, 0, 1, 30)]
    assert held(plan.shares_after) == {0: 60, 1: 60}
    assert plan.before == {("t", 1): (0,)} and plan.after == {("t", 1): (1,)}


def test_a_swap_is_made_where_no_move_helps() -> None:
    partitions = [
        *(PlanPartition("a", p, (0,), 50) for p in range(2)),
        *(PlanPartition("b", p, (1,), 30) for p in range(2)),
    ]
    plan = plan_moves(partitions, FOUR[:2], Limits(tolerance=0.05))
    assert plan.moves == [ReplicaMove("a", 0, 0, 1, 50), ReplicaMove("b", 0, 1, 0, 30)]
    assert held(plan.shares_after) == {0: 80, 1: 80}


def test_a_new_broker_gets_its_share_and_nothing_else_moves() -> None:
    partitions = _even(40, 10)
    plan = plan_moves(partitions, [*FOUR, PlanBroker(9)], Limits(add=frozenset({9})))
    assert {m.target for m in plan.moves} == {9}
    assert 144 <= held(plan.shares_after)[9] <= 176
    assert plan.moved == held(plan.shares_after)[9]


def test_a_drained_broker_is_emptied() -> None:
    plan = plan_moves(_even(16), FOUR, Limits(drain=frozenset({2})))
    assert held(plan.shares_after)[2] == 0 and plan.unmet == []
    assert all(2 not in ids for ids in plan.after.values())


def test_replicas_leave_a_broker_that_is_gone() -> None:
    plan = plan_moves(_even(16), FOUR[:3])
    assert held(plan.shares_after)[3] == 0
    assert all(3 not in ids for ids in plan.after.values())


def test_what_cannot_be_drained_is_said() -> None:
    plan = plan_moves(_even(1), FOUR[:2], Limits(drain=frozenset({1})))
    assert plan.moves == []
    assert plan.unmet == [
        "broker 1 keeps 1 replica (t-0): 2 replicas of a partition need 2 brokers, 1 are left"
    ]


def test_replicas_that_share_a_rack_are_parted() -> None:
    brokers = [PlanBroker(0, "a"), PlanBroker(1, "a"), PlanBroker(2, "b")]
    plan = plan_moves([PlanPartition("t", 0, (0, 1), 5)], brokers)
    assert plan.after == {("t", 0): (0, 2)}
    kept = plan_moves([PlanPartition("t", 0, (0, 1), 0)], brokers, Limits(mend_racks=False))
    assert kept.moves == []


def test_a_full_disk_gets_nothing() -> None:
    partitions = [PlanPartition("t", p, (0,), 10) for p in range(10)]
    brokers = [PlanBroker(0, capacity=100), PlanBroker(1, capacity=100)]
    plan = plan_moves(partitions, brokers, Limits(max_disk=0.2))
    assert len(plan.moves) == 2 and plan.unmet


def test_capacity_weighs_the_shares() -> None:
    partitions = [PlanPartition("t", p, (0,), 10) for p in range(40)]
    brokers = [PlanBroker(0, capacity=1000), PlanBroker(1, capacity=3000)]
    plan = plan_moves(partitions, brokers, Limits(tolerance=0.01))
    assert held(plan.shares_after) == {0: 100, 1: 300}


def test_limits_on_moves_and_bytes_hold() -> None:
    partitions = [PlanPartition("t", p, (0,), 10) for p in range(40)]
    assert len(plan_moves(partitions, FOUR, Limits(max_moves=3)).moves) == 3
    plan = plan_moves(partitions, FOUR, Limits(max_bytes=55))
    assert plan.moved == 50 and plan.unmet


def test_the_document_is_as_kafka_wants_it() -> None:
    assert reassignment({("b", 1): (3, 2), ("a", 0): (1,)}) == {
        "version": 1,
        "partitions": [
            {"topic": "a", "partition": 0, "replicas": [1], "log_dirs": ["any"]},
            {"topic": "b", "partition": 1, "replicas": [3, 2], "log_dirs": ["any", "any"]},
        ],
    }


@st.composite
def _clusters(draw: st.DrawFn) -> tuple[list[PlanPartition], list[PlanBroker], Limits]:
    count = draw(st.integers(1, 7))
    racks = draw(st.sampled_from([0, 0, 2, 3]))
    brokers = [PlanBroker(i, str(i % racks) if racks else None) for i in range(count)]
    partitions = []
    for p in range(draw(st.integers(0, 25))):
        ids = draw(st.permutations(range(count + draw(st.integers(0, 1)))))
        factor = draw(st.integers(1, min(3, len(ids))))
        partitions.append(PlanPartition("t", p, tuple(ids[:factor]), draw(st.integers(0, 1000))))
    drain = frozenset(draw(st.sets(st.integers(0, count - 1), max_size=2)))
    return partitions, brokers, Limits(drain=drain, tolerance=draw(st.sampled_from([0, 0.1])))


@given(_clusters())
def test_every_plan_keeps_the_rules(
    case: tuple[list[PlanPartition], list[PlanBroker], Limits],
) -> None:
    partitions, brokers, limits = case
    plan = plan_moves(partitions, brokers, limits)
    assert plan == plan_moves(reversed(partitions), brokers[::-1], limits)
    after = {(p.topic, p.partition): plan.after.get((p.topic, p.partition), p.replicas)
             for p in partitions}  # fmt: skip
    load: Counter[int] = Counter()
    for p in partitions:
        ids = after[p.topic, p.partition]
        assert len(set(ids)) == len(ids) == len(p.replicas)
        load.update(dict.fromkeys(ids, p.size))
        _assert_racks_no_worse(p, ids, brokers, limits)
    assert all(load[id_] == size for id_, size in held(plan.shares_after).items())
    assert sum(held(plan.shares_before).values()) == sum(held(plan.shares_after).values())
    stayed = {i for p in partitions for i in after[p.topic, p.partition] if i in limits.drain}
    assert not stayed or plan.unmet
    _assert_nearer(plan, brokers, limits)


def _assert_racks_no_worse(
    p: PlanPartition, ids: tuple[int, ...], brokers: list[PlanBroker], limits: Limits
) -> None:
    racks = {b.id: b.rack for b in brokers if b.id not in limits.drain and b.rack}
    if not racks:
        return
    most = ceil(len(ids) / len(set(racks.values())))
    old = Counter(racks[i] for i in p.replicas if i in racks)
    for rack, count in Counter(racks[i] for i in ids if i in racks).items():
        assert count <= max(most, old[rack])


def _assert_nearer(plan: MovePlan, brokers: list[PlanBroker], limits: Limits) -> None:
    open_ = [b.id for b in brokers if b.id not in limits.drain]
    if limits.drain or set(held(plan.shares_before)) != set(open_) or any(b.rack for b in brokers):
        return
    mean = sum(held(plan.shares_before).values()) / len(open_)
    off = [
        sum(abs(v - mean) for v in d.values())
        for d in (held(plan.shares_before), held(plan.shares_after))
    ]
    assert off[1] <= off[0] + len(open_)


def test_the_document_is_kafkas_to_the_letter() -> None:
    lines = (GOLDEN / "cli" / "reassign-partitions.jsonl").read_text().splitlines()
    printed = next(line for line in map(json.loads, lines) if "--generate" in line.get("argv", ()))
    proposal = printed["stdout"].rstrip("\n").rpartition("\n")[2]
    replicas = {
        (p["topic"], p["partition"]): p["replicas"] for p in json.loads(proposal)["partitions"]
    }
    assert json.dumps(reassignment(replicas), separators=(",", ":")) == proposal
