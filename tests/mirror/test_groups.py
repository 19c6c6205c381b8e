"""Groups move from one broker to another: they read on where they stopped, record by record."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from confluent_kafka import Consumer

from pykafka_ops.client.group_offsets import Committed, commit_offsets, fetch_offsets
from pykafka_ops.client.records import delete_records
from pykafka_ops.client.topic_changes import delete_topics
from pykafka_ops.mirror.groups.translation import AHEAD, EXACT
from tests.support.mirror.hand_mirror import make_topics
from tests.support.mirror.two_sites import (
    PART,
    Site,
    consume_numbers,
    kept_of_fives,
    produce_fives,
    produce_numbers,
    two_sites,
)
from tests.support.process.broker import BrokerProcess
from tests.support.waiting import wait_for

pytestmark = pytest.mark.slow


@pytest.fixture
def site(make_broker: Callable[..., BrokerProcess]) -> Iterator[Site]:
    with two_sites(make_broker) as made:
        yield made


def test_a_consumer_that_moves_reads_nothing_twice_and_loses_nothing(site: Site) -> None:
    produce_fives(site.a, 0, 90)
    for most in (7, 1, 20, 3):  # rounds of the mirror, a marker behind each
        site.mirror.copy(PART, most)
    site.mirror.copy_all(PART)
    kept = kept_of_fives(0, 90)
    before = consume_numbers(site.a, "orders", 37, commit=34)
    outcome = site.sync.run()
    assert (outcome.groups["g"].state, outcome.groups["g"].written) == ("synced", 1)
    after = consume_numbers(site.b, "a.orders", len(kept) - 34)
    assert before[:34] + after == kept


def test_every_offset_of_a_group_is_translated_exactly(site: Site) -> None:
    produce_fives(site.a, 0, 30)
    produce_numbers(site.a, 30, 10)
    while site.mirror.copy(PART, 3):
        pass
    kept = [*kept_of_fives(0, 30), *range(30, 40)]
    end = site.mirror.positions[PART]
    known = site.sync.known([("a.orders", 0)])
    assert site.sync.look(["unknown"]).groups["unknown"].places == []
    found = {}
    for offset in range(end + 1):
        commit_offsets(site.source, "g", {PART: Committed(offset, -1, "")})
        (place,) = site.sync.look(["g"]).groups["g"].places
        assert place.standing == EXACT
        found[offset] = place.target
    assert known.positions == {("a.orders", 0): end}
    assert found[0] == 0
    assert sorted(found.values()) == list(found.values())
    assert len(set(found.values())) == len(kept) + 1


def test_a_group_ahead_of_the_mirror_reads_on_when_it_has_caught_up(site: Site) -> None:
    produce_numbers(site.a, 0, 20)
    site.mirror.copy(PART, 5)
    consume_numbers(site.a, "orders", 12)
    (place,) = site.sync.run().groups["g"].places
    assert (place.standing, place.ahead) == (AHEAD, 7)
    site.mirror.copy_all(PART)
    assert site.sync.run().groups["g"].written == 1
    assert consume_numbers(site.b, "a.orders", 8) == list(range(12, 20))


def test_what_was_copied_of_a_topic_before_it_was_made_anew_moves_no_group(site: Site) -> None:
    produce_numbers(site.a, 0, 20)
    site.mirror.copy_all(PART)
    assert delete_topics(site.source, ["orders"]) == {"orders": None}
    wait_for(lambda: site.source.metadata(["orders"]).topics[0].error_code, what="its end")
    make_topics(site.source, orders=1)
    produce_numbers(site.a, 100, 12)
    consume_numbers(site.a, "orders", 5)
    assert site.sync.look(["g"]).groups["g"].places == []
    site.mirror.positions.clear()
    site.mirror.life += 1
    site.mirror.copy_all(PART)
    assert site.sync.run().groups["g"].written == 1
    assert consume_numbers(site.b, "a.orders", 7) == list(range(105, 112))


def test_a_group_with_members_at_the_target_is_left_alone(site: Site) -> None:
    produce_numbers(site.a, 0, 20)
    site.mirror.copy_all(PART)
    consume_numbers(site.a, "orders", 12)
    member = Consumer({"bootstrap.servers": site.b.bootstrap, "group.id": "g"})
    member.subscribe(["a.orders"])
    try:
        wait_for(lambda: member.poll(0.1) is None and member.assignment(), what="an assignment")
        assert site.sync.run().groups["g"].state == "active"
        assert fetch_offsets(site.target, ["g"])["g"] == {}
    finally:
        member.close()


def test_a_group_goes_back_only_if_it_was_rewound_at_the_source(site: Site) -> None:
    produce_numbers(site.a, 0, 20)
    site.mirror.copy_all(PART)

    def sync_at(offset: int) -> int:
        commit_offsets(site.source, "g", {PART: Committed(offset, -1, "note")})
        site.sync.run()
        found = fetch_offsets(site.target, ["g"])["g"]
        assert isinstance(found, dict)
        committed = found["a.orders", 0]
        assert isinstance(committed, Committed)
        assert committed.metadata == "note"
        return committed.offset

    assert sync_at(12) == 12
    assert sync_at(4) == 4
    commit_offsets(site.target, "g", {("a.orders", 0): Committed(15, -1, "note")})
    assert sync_at(6) == 15
    assert sync_at(18) == 18


def test_a_group_whose_records_are_gone_reads_on_where_the_source_begins(site: Site) -> None:
    produce_numbers(site.a, 0, 20)
    while site.mirror.copy(PART, 5):
        pass
    commit_offsets(site.source, "g", {PART: Committed(2, -1, "")})
    assert delete_records(site.source, {PART: 12}) == {PART: 12}
    site.sync.reader.catch_up()
    site.sync.reader.prune({("a.orders", 0): (12, 0)})
    (place,) = site.sync.run().groups["g"].places
    assert place.standing == EXACT
    assert consume_numbers(site.b, "a.orders", 8) == list(range(12, 20))


def test_a_group_is_chosen_by_the_links_patterns(site: Site) -> None:
    for group in ("g", "connect-x", "console-consumer-7", "pko-mirror.x-y"):
        commit_offsets(site.source, group, {PART: Committed(0, -1, "")})
    assert list(site.sync.look().groups) == ["g"]
