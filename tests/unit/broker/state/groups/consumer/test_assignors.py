"""Assignors: everything is assigned, evenly, and as little moves as can be."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.broker.state.groups.consumer.assignors import range as ranges
from pykafka_ops.broker.state.groups.consumer.assignors import uniform
from pykafka_ops.broker.state.groups.consumer.assignors.spec import Assignee
from pykafka_ops.broker.state.groups.consumer.member import Target

A, B, C = b"a" * 16, b"b" * 16, b"c" * 16
COUNTS = st.dictionaries(st.sampled_from([A, B, C]), st.integers(1, 12), min_size=1)
TOPICS = st.frozensets(st.sampled_from([A, B, C]))


def members(topics: list[frozenset[bytes]], targets: dict[str, Target]) -> list[Assignee]:
    """Members m0, m1, ... with what they had."""
    return [
        Assignee(f"m{n}", None, each, targets.get(f"m{n}", {})) for n, each in enumerate(topics)
    ]


def places(targets: dict[str, Target]) -> list[tuple[bytes, int]]:
    """All that is assigned."""
    return sorted(
        (t, i) for target in targets.values() for t, indexes in target.items() for i in indexes
    )


def load(target: Target) -> int:
    return sum(map(len, target.values()))


@given(st.lists(TOPICS, min_size=1, max_size=6), st.lists(TOPICS, min_size=1, max_size=6), COUNTS)
def test_uniform_assigns_all_evenly_whatever_was_before(
    before: list[frozenset[bytes]], after: list[frozenset[bytes]], counts: dict[bytes, int]
) -> None:
    first = uniform.assign(members(before, {}), counts)
    spec = members(after, first)
    found = uniform.assign(spec, counts)
    subscribed = {topic for each in spec for topic in each.topics} & counts.keys()
    assert places(found) == sorted((t, i) for t in subscribed for i in range(counts[t]))
    for giver in spec:
        assert found[giver.id].keys() <= giver.topics
        for taker in spec:
            if found[giver.id].keys() & taker.topics:
                assert load(found[giver.id]) - load(found[taker.id]) <= 1
    assert uniform.assign(members(after, found), counts) == found, "it moves without need"


@given(st.integers(1, 8), st.integers(1, 8), COUNTS)
def test_uniform_moves_no_more_than_it_has_to(
    before: int, after: int, counts: dict[bytes, int]
) -> None:
    topics = frozenset(counts)
    old = uniform.assign(members([topics] * before, {}), counts)
    new = uniform.assign(members([topics] * after, old), counts)
    total = sum(counts.values())
    quota = -(-total // after)
    for n in range(min(before, after)):
        mine = set(places({"": old[f"m{n}"]}))
        kept = mine & set(places({"": new[f"m{n}"]}))
        assert len(kept) >= min(len(mine), total // after)
        assert load(new[f"m{n}"]) <= quota


@given(st.lists(TOPICS, min_size=1, max_size=6), COUNTS)
def test_range_assigns_all_in_ranges(
    topics: list[frozenset[bytes]], counts: dict[bytes, int]
) -> None:
    spec = members(topics, {})
    found = ranges.assign(spec, counts)
    subscribed = {topic for each in spec for topic in each.topics} & counts.keys()
    assert places(found) == sorted((t, i) for t in subscribed for i in range(counts[t]))
    for target in found.values():
        for indexes in target.values():
            assert sorted(indexes) == list(range(min(indexes), max(indexes) + 1))


def test_range_gives_the_same_numbers_of_topics_that_are_alike() -> None:
    found = ranges.assign(members([frozenset({A, B})] * 2, {}), {A: 3, B: 3})
    assert found == {
        "m0": {A: frozenset({0, 1}), B: frozenset({0, 1})},
        "m1": {A: frozenset({2}), B: frozenset({2})},
    }


def test_range_has_static_members_first_and_by_name() -> None:
    spec = [
        Assignee("a", None, frozenset({A}), {}),
        Assignee("z", "two", frozenset({A}), {}),
        Assignee("y", "one", frozenset({A}), {}),
    ]
    found = ranges.assign(spec, {A: 3})
    assert {name: sorted(target[A]) for name, target in found.items()} == {
        "y": [0],
        "z": [1],
        "a": [2],
    }
