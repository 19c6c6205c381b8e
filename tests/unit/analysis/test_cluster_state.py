from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.cluster_state import (
    FACTS,
    Placed,
    facts,
    shares,
    skew_percent,
    survey,
    troubled,
    troubles,
)

RACKS = {1: "a", 2: "b", 3: "a"}


def placed(leader: int, replicas: list[int], isr: list[int], min_isr: int | None = 1) -> Placed:
    return Placed("t", 0, leader, replicas, isr, min_isr)


def test_a_healthy_partition_has_no_trouble() -> None:
    assert troubles(placed(1, [1, 2], [2, 1]), RACKS) == []


def test_each_trouble_is_told() -> None:
    assert troubles(placed(-1, [1, 2], [2]), RACKS) == [
        "offline", "under_min_isr", "under_replicated", "at_min_isr",
    ]  # fmt: skip
    assert troubles(placed(2, [1, 2], [2], 2), RACKS) == [
        "under_min_isr", "under_replicated", "not_preferred",
    ]  # fmt: skip
    assert troubles(placed(1, [1, 3], [1, 3]), RACKS) == ["one_rack"]


def test_a_leader_that_does_not_live_is_none() -> None:
    assert troubles(placed(9, [9], [9]), RACKS) == ["offline"]


def test_replicas_on_their_way_need_not_be_in_sync() -> None:
    moving = placed(1, [1, 2, 3], [1, 2])
    assert "under_replicated" in troubles(moving, RACKS)
    assert "under_replicated" not in troubles(moving._replace(coming=1), RACKS)


def test_one_replica_is_neither_in_one_rack_nor_at_its_minimum() -> None:
    assert troubles(placed(1, [1], [1]), RACKS) == []


def test_without_the_setting_nothing_is_said_of_the_minimum() -> None:
    assert troubles(placed(1, [1, 2], [1], None), RACKS) == ["under_replicated"]
    found = facts(survey([placed(1, [1, 2], [1], None)], RACKS), 1, None)
    assert found["under_min_isr"] is None
    assert found["bytes_skew_percent"] is None


def test_brokers_that_partitions_name_and_that_do_not_live_are_missing() -> None:
    found = facts(survey([placed(1, [1, 9], [1])], RACKS), -1, {1: 10, 2: 0, 3: 20})
    assert found["brokers"] == 3
    assert found["brokers_missing"] == 1
    assert found["no_controller"] == 1
    assert found["bytes_skew_percent"] == 100.0


def test_imbalance_is_that_of_the_worst_broker() -> None:
    of_one = [placed(1, [1, 2], [1, 2]), placed(2, [1, 2], [1, 2])]
    assert shares(of_one, RACKS)[1].imbalance_percent == 50
    assert survey([*of_one, placed(2, [2], [2])], RACKS).counts["imbalance_percent"] == 50


def test_skew_is_how_far_the_greatest_lies_above_the_mean() -> None:
    assert skew_percent([10, 10]) == 0
    assert skew_percent([30, 10, 20]) == 50
    assert skew_percent([0, 0]) is None
    assert skew_percent([]) is None


BROKER = st.integers(-1, 5)
PLACED = st.builds(
    Placed, st.sampled_from("ab"), st.integers(0, 3), BROKER, st.lists(BROKER), st.lists(BROKER),
    st.none() | st.integers(1, 3),
)  # fmt: skip


@given(st.lists(PLACED), st.dictionaries(BROKER, st.none() | st.sampled_from("xy")), BROKER)
def test_any_metadata_gives_every_fact(
    partitions: list[Placed], racks: dict[int, str | None], controller: int
) -> None:
    found = facts(survey(partitions, racks), controller, None)
    assert list(found) == list(FACTS)
    assert sum(s.leaders for s in shares(partitions, racks).values()) == sum(
        p.leader >= 0 for p in partitions
    )
    kinds = troubled(partitions, racks)
    assert (
        len(kinds["offline"]) == found["offline"] == sum(p.leader not in racks for p in partitions)
    )
