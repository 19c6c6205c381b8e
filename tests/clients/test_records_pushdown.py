"""Filters and columns of ``kafka-live``: less is asked of the brokers, for the same rows."""

from __future__ import annotations

from typing import Any

import pytest
from confluent_kafka import Producer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import datasource as f

from pykafka_ops.spark.sources.adapter import PushingReader
from pykafka_ops.spark.sources.live.source import KafkaLive
from tests.conftest import Broker
from tests.support.process.commands import pko
from tests.support.spark.pushed import Rows, filters, met, moments, rows

BEGIN = 1_700_000_000_000
COUNT = 40


@pytest.fixture
def live(broker: Broker, topic: str) -> KafkaLive:
    """Two topics of two partitions; times go up, but not always."""
    names = (topic, f"{topic}b")
    for name in names:
        said = pko("topics", "create", name, "-p", "2", "-b", broker.bootstrap)
        assert said.code == 0, said
    producer = Producer({"bootstrap.servers": broker.bootstrap, "batch.num.messages": 5})
    for n in range(4 * COUNT):
        stamp = BEGIN + 1000 * n - (5000 if n % 16 == 0 else 0)
        producer.produce(names[n % 2], b"%d" % n, b"k%d" % (n % 5), n // 2 % 2, timestamp=stamp)
        if n % 20 == 19:
            assert producer.flush(120) == 0
    return KafkaLive({
        "kafka.bootstrap.servers": broker.bootstrap, "what": "records",
        "subscribe": ",".join(names), "pushdown": "true",
    })  # fmt: skip


def every_row(source: KafkaLive) -> Rows:
    return rows(source.reader(source.schema()))


def pushed(source: KafkaLive, wanted: list[f.Filter]) -> PushingReader:
    made = source.reader(source.schema())
    assert isinstance(made, PushingReader)
    assert list(made.pushFilters(wanted)) == []
    return made


def test_records_with_filters_pushed_down_are_those_that_meet_them(
    live: KafkaLive, topic: str
) -> None:
    every = every_row(live)
    assert len(every) == 4 * COUNT
    values: dict[str, st.SearchStrategy[Any]] = {
        "topic": st.sampled_from([topic, f"{topic}b", "elsewhere"]),
        "partition": st.integers(-1, 2),
        "offset": st.integers(-2, COUNT + 2),
        "timestamp": moments(BEGIN - 9000, BEGIN + 4 * COUNT * 1000),
    }

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(filters(values))
    def check(wanted: list[f.Filter]) -> None:
        assert met(rows(pushed(live, wanted)), []) == met(every, wanted)

    check()
    order = ["timestamp", "key", "partition"]
    fewer = KafkaLive({**live.read_options.values(), "columns": ",".join(order)})
    assert fewer.schema().fieldNames() == order
    assert met(every_row(fewer), []) == met([{c: row[c] for c in order} for row in every], [])


def test_only_offsets_that_may_match_are_fetched(live: KafkaLive, topic: str) -> None:
    def spans(*wanted: f.Filter) -> dict[tuple[str, int], tuple[int, int]]:
        parts = [task.value for task in pushed(live, list(wanted)).partitions()]
        return {(p.topic, p.partition): (p.start, p.end) for p in parts if p.end > p.start}

    assert len(spans()) == 4
    one = f.EqualTo(("topic",), topic), f.EqualTo(("partition",), 1)
    assert spans(*one) == {(topic, 1): (0, COUNT)}
    assert spans(*one, f.GreaterThan(("offset",), 30)) == {(topic, 1): (31, COUNT)}
    assert spans(*one, f.In(("offset",), (7, 9))) == {(topic, 1): (7, 10)}
    late = max(row["timestamp"] for row in every_row(live))
    assert len(spans(f.GreaterThanOrEqual(("timestamp",), late))) == 1
    assert spans(f.GreaterThan(("timestamp",), late)) == {}
    asked = KafkaLive({
        **live.read_options.values(), "columns": "value",
        "where": f"topic = '{topic}' and offset between 3 and 5 and partition in (0)",
    })  # fmt: skip
    parts = [part.value for part in asked.reader(asked.schema()).partitions()]
    assert [(p.partition, p.start, p.end) for p in parts] == [(0, 3, 6)]
    assert every_row(asked) == [{"value": b"%d" % n} for n in (12, 16, 20)]


def test_metadata_is_asked_for_of_the_topics_that_are_wanted(broker: Broker, topic: str) -> None:
    said = pko("topics", "create", topic, "-p", "3", "-b", broker.bootstrap)
    assert said.code == 0, said
    for what in ("partitions", "configs", "firsts", "committed"):
        options = {"kafka.bootstrap.servers": broker.bootstrap, "what": what}
        source = KafkaLive({**options, "pushdown": "true"})
        wanted: list[f.Filter] = [f.EqualTo(("topic",), topic)]
        if what in ("partitions", "configs", "firsts"):
            made = pushed(source, wanted)
            assert [task.value.names for task in made.partitions()] == [(topic,)]
        found = met(every_row(source), wanted)
        assert met(rows(pushed(source, wanted)), []) == found
        assert met(every_row(KafkaLive({**options, "where": f"topic = '{topic}'"})), []) == found
    none = pushed(source, [f.EqualTo(("topic",), topic), f.EqualTo(("topic",), "other")])
    assert none.partitions() == []
