import pytest

from pykafka_ops.analysis.moves.throttles import (
    Copying,
    brokers_of,
    copying,
    follower_throttles,
    leader_throttles,
)

A, B = ("a", 0), ("a", 1)


def move(sources: set[int], destinations: set[int]) -> Copying:
    return Copying(frozenset(sources), frozenset(destinations))


def test_a_partition_is_copied_from_its_replicas_to_the_new_ones() -> None:
    assert copying({}, {A: [2, 1]}, {A: [0, 1]}) == {A: move({0, 1}, {2})}


def test_a_partition_that_moves_keeps_its_sources() -> None:
    under_way = {A: ([2, 1, 0], [2])}
    assert copying(under_way, {A: [3, 1]}, {A: [2, 1, 0]}) == {A: move({0, 1}, {3})}


def test_moves_under_way_stay_throttled() -> None:
    found = copying({A: ([2, 1], [2])}, {B: [5]}, {B: [4]})
    assert found == {A: move({1}, {2}), B: move({4}, {5})}
    assert brokers_of(found) == [1, 2, 4, 5]


def test_a_partition_nobody_knows_is_a_fault_of_the_caller() -> None:
    with pytest.raises(KeyError):
        copying({}, {A: [1]}, {})


def test_throttled_replicas_are_sorted_as_text_by_topic() -> None:
    moves = {("b", 10): move({1}, {2}), ("b", 9): move({11, 2}, set()), A: move({0}, {1})}
    assert leader_throttles(moves) == {"a": "0:0", "b": "10:1,9:11,9:2"}
    assert follower_throttles(moves) == {"a": "0:1", "b": "10:2"}


def test_nothing_new_leaves_the_followers_empty() -> None:
    assert follower_throttles({A: move({1, 2}, set())}) == {"a": ""}
