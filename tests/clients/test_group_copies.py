"""Members of a group copy in transactions, with their offsets: each record once, whoever comes,
goes or is fenced."""

from __future__ import annotations

from collections.abc import Iterator

import confluent_kafka as ck
import pytest

from tests.clients.test_transactions import committed
from tests.support.clients.group_member import CONSUMER
from tests.support.clients.group_members import (
    JAVA,
    PARTITIONS,
    PYTHON,
    Crew,
    Hosts,
    create,
    produce,
    values,
    wait_shared,
)
from tests.support.java.java_kit import NEWEST
from tests.support.waiting import wait_for

pytestmark = pytest.mark.slow
EVERY = [
    *((library, "range") for library in PYTHON),
    *(pytest.param(library, "range", marks=pytest.mark.java) for library in JAVA),
    ("confluent-kafka", CONSUMER),
    pytest.param(f"java-{NEWEST}", CONSUMER, marks=pytest.mark.java),
]


@pytest.fixture
def crew(
    request: pytest.FixtureRequest, topic: str, java_hosts: Hosts, strategy: str
) -> Iterator[Crew]:
    broker = request.getfixturevalue("consumer_site" if strategy == CONSUMER else "broker")
    create(broker.bootstrap, topic, f"{topic}-copy")
    made = Crew(broker.bootstrap, topic, java_hosts)
    yield made
    made.close()


def stored(crew: Crew) -> list[int]:
    """The offsets that the group has committed."""
    consumer = ck.Consumer({"bootstrap.servers": crew.bootstrap, "group.id": crew.group})
    asked = [ck.TopicPartition(crew.topic, n) for n in range(PARTITIONS)]
    found = [place.offset for place in consumer.committed(asked, 120)]
    consumer.close()
    return found


@pytest.mark.parametrize(("library", "strategy"), EVERY)
def test_a_group_copies_each_record_once(
    crew: Crew, topic: str, library: str, strategy: str
) -> None:
    target, written = f"{topic}-copy", values(0, 200)
    produce(crew.bootstrap, topic, written)
    first = crew.copy(library, target, f"{topic}-1", strategy)
    wait_for(lambda: first.read, what="the first copies", about=crew.made)
    second = crew.copy(library, target, f"{topic}-2", strategy)
    wait_shared(first, second)
    for start in (200, 400):
        produce(crew.bootstrap, topic, values(start, 200))
        written += values(start, 200)
    wait_for(lambda: second.read, what="copies of the second", about=crew.made)
    crew.wait_read(len(written), "copies so far")
    second.body.leave()
    third = crew.copy(library, target, f"{topic}-1", strategy)
    wait_shared(first, third)
    produce(crew.bootstrap, topic, values(600, 200))
    written += values(600, 200)
    wait_for(lambda: first.fenced, what="the end of the first", about=crew.made)
    wait_shared(third)
    crew.wait_read(len(written), "all copies")
    wanted = [[v.encode() for v in written[n::PARTITIONS]] for n in range(PARTITIONS)]
    assert [committed(crew.bootstrap, target, n) for n in range(PARTITIONS)] == wanted
    assert sorted(crew.read()) == sorted(written)
    assert stored(crew) == [len(part) for part in wanted]
