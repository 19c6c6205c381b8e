"""Who copies which partitions."""

from __future__ import annotations

from pykafka_ops.mirror.work.protocol import MemberSaid, Share
from pykafka_ops.mirror.work.seat import share_out, unused_slots
from pykafka_ops.mirror.work.sharing import numbered, shared

SIX = [("t", n) for n in range(6)]


def test_one_member_has_all() -> None:
    assert shared(SIX, ["m"], {}, {}) == {"m": SIX}


def test_a_newcomer_gets_its_part_and_the_rest_stays() -> None:
    found = shared(SIX, ["a", "b"], {"a": SIX}, {})
    assert len(found["a"]) == len(found["b"]) == 3
    again = shared(SIX, ["a", "b"], found, {})
    assert again == found


def test_what_a_dead_member_had_goes_to_whom_has_least() -> None:
    found = shared(SIX, ["a", "b"], {"a": SIX[:2], "b": SIX[2:4]}, {})
    assert set(found["a"]) > set(SIX[:2]) and len(found["a"]) == 3


def test_bytes_count_and_not_partitions() -> None:
    rates = dict.fromkeys(SIX, 10.0) | {("t", 0): 1000.0}
    found = shared(SIX, ["a", "b"], {"a": SIX}, rates)
    alone = next(member for member, mine in found.items() if ("t", 0) in mine)
    assert len(found[alone]) == 1


def test_idle_partitions_are_spread_too() -> None:
    found = shared(SIX, ["a", "b", "c"], {"a": SIX}, dict.fromkeys(SIX, 0.0))
    assert [len(mine) for mine in found.values()] == [2, 2, 2]


def test_each_partition_has_one_owner_though_two_claim_it() -> None:
    found = shared(SIX, ["a", "b"], {"a": SIX[:4], "b": SIX[2:]}, {})
    assert sorted(p for mine in found.values() for p in mine) == SIX


def test_partitions_that_are_no_more_go_to_nobody() -> None:
    assert shared([], ["a"], {"a": SIX}, {}) == {"a": []}


def test_more_members_than_partitions_leaves_some_idle() -> None:
    found = shared(SIX[:1], ["a", "b"], {"b": SIX[:1]}, {})
    assert found == {"a": [], "b": SIX[:1]}


def test_slots_are_kept_and_filled_from_below() -> None:
    assert numbered(["a", "b", "c"], {"b": 1, "a": -1}) == {"b": 1, "a": 0, "c": 2}
    assert numbered(["a", "b"], {"a": 1, "b": 1}) == {"a": 1, "b": 0}


def test_the_leader_shares_out_and_knows_whose_slots_are_free() -> None:
    members = {"a": MemberSaid(slot=2, slots=3), "b": MemberSaid()}
    shares = share_out(members, SIX)
    assert shares["a"].slot == 2 and shares["b"].slot == 0
    assert shares["a"].slots == 3 and isinstance(shares["b"], Share)
    assert unused_slots(members, shares) == [1]
