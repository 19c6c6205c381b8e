"""Placement equals Kafka's ``AdminUtils.assignReplicasToBrokers`` (its answers stand below)."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.placement import (
    PlacementError,
    alternate_racks,
    assign_replicas,
)

# racks | brokers | partitions, replication factor, start, first partition | replicas by partition
KAFKA = """
|5|10,3,0,0|012 123 234 340 401 023 134 240 301 412
|5|10,3,2,0|201 312 423 034 140 213 324 430 041 102
|3|7,3,1,4|210 021 120 201 012 102 210
|4|9,2,3,0|30 01 12 23 31 02 13 20 32
|1|3,1,0,0|0 0 0
|6|13,4,5,3|2345 3450 4501 5123 0234 1345 2450 3501 4012 5234 0345 1450 2501
r1,r3,r3,r2,r2,r1|6|7,3,0,0|031 315 154 542 420 203 042
a,a,b,b,c,c|6|12,2,1,0|25 40 12 34 51 03 21 43 15 30 52 04
a,a,a,b,c|5|10,3,2,5|423 134 234 043 314 413 134 234 034 341
a,b,c,a,b,c|6|13,5,4,2|04512 15023 20134 31245 45012 50123 01234 12345 23450 34501 42350 53401 04512
a,a,b,b|4|8,3,3,8|310 032 201 123 310 032 201 123
a,a,a,a,b,b,c|7|14,3,6,0|346 046 461 615 156 526 246 356 056 426 634 146 561 265
x,x,x,x|4|6,2,1,0|13 20 31 02 10 21
""".strip().splitlines()


@pytest.mark.parametrize("case", KAFKA)
def test_equals_kafkas_answer(case: str) -> None:
    racks, count, numbers, expected = case.split("|")
    partitions, factor, start, first = map(int, numbers.split(","))
    names = racks.split(",") if racks else [None] * int(count)
    got = assign_replicas(
        dict(enumerate(names)),
        partitions,
        factor,
        start_index=start,
        shift=start,
        first_partition=first,
    )
    assert list(got) == list(range(first, first + partitions))
    assert ["".join(map(str, replicas)) for replicas in got.values()] == expected.split()


@pytest.mark.parametrize(
    ("brokers", "partitions", "factor", "text"),
    [
        ({0: None}, 0, 1, "Number of partitions must be larger than 0."),
        ({0: None}, 1, 0, "Replication factor must be larger than 0."),
        ({0: None}, 1, 3, "Replication factor: 3 larger than available brokers: 1."),
        ({}, 1, 1, "Replication factor: 1 larger than available brokers: 0."),
        (
            {0: "a", 1: None},
            1,
            1,
            "Not all brokers have rack information for replica rack aware assignment.",
        ),
    ],
)
def test_impossible_wishes_are_refused_in_kafkas_words(
    brokers: dict[int, str | None], partitions: int, factor: int, text: str
) -> None:
    with pytest.raises(PlacementError) as caught:
        assign_replicas(brokers, partitions, factor, start_index=0, shift=0)
    assert str(caught.value) == text


@given(st.data())
def test_replicas_are_distinct_leaders_even_and_racks_covered(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 9))
    names = data.draw(st.none() | st.lists(st.sampled_from("abc"), min_size=count, max_size=count))
    brokers: dict[int, str | None] = dict(enumerate(names or [None] * count))
    factor = data.draw(st.integers(1, count))
    partitions = data.draw(st.integers(1, 30))
    start, shift = data.draw(st.integers(0, count - 1)), data.draw(st.integers(0, count - 1))
    got = assign_replicas(brokers, partitions, factor, start_index=start, shift=shift)
    leaders = Counter(replicas[0] for replicas in got.values())
    assert max(leaders.values()) - (min(leaders.values()) if len(leaders) == count else 0) <= 1
    for replicas in got.values():
        assert len(set(replicas)) == factor
        used = {brokers[id_] for id_ in replicas}
        if names:
            assert len(used) == min(factor, len(set(names)))


def test_neighbours_are_of_other_racks() -> None:
    racks = {0: "r1", 1: "r3", 2: "r3", 3: "r2", 4: "r2", 5: "r1"}
    assert alternate_racks(racks) == [0, 3, 1, 5, 4, 2]
