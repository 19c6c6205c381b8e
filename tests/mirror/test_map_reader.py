"""The map's topic on a broker: followed through transactions, rewritten, made anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from pykafka_ops.client.produce import produce
from pykafka_ops.client.topic_changes import delete_topics
from pykafka_ops.client.transactional import TransactionalProducer
from pykafka_ops.disk.build import build_plain
from pykafka_ops.errors import PkoError
from pykafka_ops.mirror.naming import map_topic
from pykafka_ops.mirror.offsets import kept, records, upkeep
from pykafka_ops.mirror.offsets.reader import MapReader
from pykafka_ops.mirror.offsets.records import map_place, map_records
from pykafka_ops.mirror.offsets.runs import Translated
from pykafka_ops.mirror.offsets.seeding import ensure_map
from pykafka_ops.mirror.offsets.upkeep import tidy
from tests.support.mirror.two_sites import PART, Site, produce_numbers, two_sites
from tests.support.process.broker import BrokerProcess
from tests.support.waiting import wait_for

pytestmark = pytest.mark.slow
COPY = ("a.orders", 0)


@pytest.fixture
def site(make_broker: Callable[..., BrokerProcess]) -> Iterator[Site]:
    with two_sites(make_broker) as made:
        yield made


def _reader(site: Site, *, pieces: bool = False) -> MapReader:
    reader = MapReader(site.target, map_topic("a"), pieces=pieces)
    reader.catch_up(settled=True)
    return reader


def _answers(reader: MapReader, count: int) -> list[Translated | None]:
    return [reader.translate(COPY, offset) for offset in range(count)]


def test_a_rewritten_map_gives_the_same_answers_from_the_topic(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name, value in (
        (kept, "MOST_RUNS", 4), (kept, "IN_MEMORY", 6), (upkeep, "MOST_RUNS", 4),
        (upkeep, "MOST_PIECES", 5), (records, "ROUND_RUNS", 2),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, value)
    produce_numbers(site.a, 0, 30)
    while site.mirror.copy(PART, 1):
        pass
    keeper = _reader(site, pieces=True)
    expected = _answers(keeper, 32)
    assert expected[:3] == [Translated(0, "run"), Translated(2, "run"), Translated(4, "run")]
    assert tidy(keeper, 0) == 30
    keeper.catch_up()
    late = _reader(site)
    assert len(late.maps[COPY].runs) <= 6
    assert _answers(late, 32) == expected
    assert _answers(keeper, 32) == expected
    assert tidy(keeper, 0) == 0


def test_a_map_that_is_made_anew_is_read_anew(site: Site) -> None:
    produce_numbers(site.a, 0, 10)
    site.mirror.copy_all(PART)
    reader = _reader(site)
    assert reader.translate(COPY, 3) == Translated(3, "run")
    assert delete_topics(site.target, [reader.topic]) == {reader.topic: None}

    def is_gone() -> bool:
        reader.catch_up()
        return reader.translate(COPY, 3) is None

    wait_for(is_gone, what="the map to be gone")
    wait_for(lambda: _made(site), what="the topic to be made")
    place, made = map_records(COPY, [(0, 50, 10)], 0, partitions=8)
    batch = build_plain([(r.key or b"", r.value) for r in made], 0)
    found = produce(site.target, {(reader.topic, place): batch})
    assert not isinstance(found[reader.topic, place], PkoError)
    reader.catch_up()
    assert reader.translate(COPY, 3) == Translated(53, "run")


def _made(site: Site) -> bool:
    try:
        return ensure_map(site.target, site.sync.link) == 8
    except PkoError:
        return False


def test_runs_of_aborted_rounds_do_not_count(site: Site) -> None:
    producer = TransactionalProducer(site.target, "other", 60_000)
    place = map_topic("a"), map_place(COPY)
    for source, commit in ((0, True), (10, False), (20, True)):
        _, made = map_records(COPY, [(source, source, 10)], 0)
        producer.add([place])
        producer.send(place, made)
        producer.end(commit=commit)
    reader = _reader(site)
    assert [(run.source, run.length) for run in reader.maps[COPY].runs] == [(0, 10), (20, 10)]


def test_an_open_round_is_waited_for_only_where_it_matters(site: Site) -> None:
    producer = TransactionalProducer(site.target, "other", 60_000)
    place = map_topic("a"), map_place(COPY)
    producer.add([place])
    producer.send(place, map_records(COPY, [(0, 0, 10)], 0)[1])
    reader = MapReader(site.target, map_topic("a"))
    reader.catch_up()
    assert reader.translate(COPY, 3) is None
    site.target.config.api_timeout = 1.0
    with pytest.raises(PkoError, match="has a transaction that does not end"):
        reader.catch_up(settled=True)
    producer.end(commit=True)
    reader.catch_up(settled=True)
    assert reader.translate(COPY, 3) == Translated(3, "run")
