"""A mirror with Apache Kafka on either side: 3.9.1 with ZooKeeper, 4.3.1 without, and ours."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pykafka_ops.client.configs import TOPIC, ConfigResource
from pykafka_ops.client.own_settings import own_settings
from pykafka_ops.client.topic_changes import NewTopic, create_partitions, create_topics
from tests.support.process.apache import ApacheBroker
from tests.support.process.apache_kraft import KraftBroker
from tests.support.process.broker import BrokerProcess
from tests.support.process.console import pko
from tests.support.process.mirror import (
    MirrorProcess,
    arrived,
    client,
    mirror_file,
    partitions,
    status_rows,
    write_numbers,
)
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow]
Broker = ApacheBroker | KraftBroker | BrokerProcess


@pytest.fixture(scope="module")
def kraft(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KraftBroker]:
    """Apache Kafka 4."""
    broker = KraftBroker(tmp_path_factory.mktemp("kraft") / "data")
    yield broker.start()
    broker.close()


@pytest.fixture
def sides(
    request: pytest.FixtureRequest, apache: ApacheBroker, kraft: KraftBroker, broker: BrokerProcess
) -> tuple[Broker, Broker]:
    """Source and target, by the words of the parameter."""
    by_name: dict[str, Broker] = {"3.9": apache, "4.3": kraft, "ours": broker}
    source, target = request.param.split("->")
    return by_name[source], by_name[target]


WAYS = ["3.9->ours", "ours->3.9", "4.3->ours", "ours->4.3", "3.9->4.3", "4.3->3.9"]


@pytest.mark.parametrize("sides", WAYS, indirect=True)
def test_topics_follow_and_records_arrive_once(
    sides: tuple[Broker, Broker], topic: str, tmp_path: Path
) -> None:
    here, there = client(sides[0].bootstrap), client(sides[1].bootstrap)
    settings = {"retention.ms": "-1", "cleanup.policy": "compact,delete"}
    create_topics(here, [NewTopic(topic, 2, 1, configs=settings)])
    write_numbers(here, topic, range(100), 2)
    alias = f"from-{topic}"  # targets remember which cluster was mirrored by that name
    copy, only = f"{alias}.{topic}", f'topics = ["{topic}"]'
    servers = [side.bootstrap for side in sides]
    file = mirror_file(tmp_path / "m.toml", *servers, only, alias=alias)
    mirror = MirrorProcess(file)
    try:
        arrived(there, copy, range(100))
        place = ConfigResource(TOPIC, copy)
        assert own_settings(there, [place], list(settings))[place] == settings
        create_partitions(here, {topic: (3, None)})
        wait_for(lambda: partitions(there, copy) == 3, what="the topic has grown")
        write_numbers(here, topic, range(100, 400), 3)
        arrived(there, copy, range(400))
        rows = [row for row in status_rows(file) if row["topic"] == topic]
        assert [(row["lag"], row["state"]) for row in rows] == [(0, "ok")]
        link = mirror.link(f"{alias}->b")
        assert link["failed_rounds"] == 0 and link["troubles"] == {} and link["trouble"] is None
        planned = json.loads(pko("mirror", "plan", str(file), "-o", "json").stdout)["items"][0]
        assert planned["changes"] == []
    finally:
        code = mirror.end()
        here.close()
        there.close()
    assert code == 0, mirror.lines
