"""Clients log in again when their sessions end (KIP-368), and go on over the same connection."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import confluent_kafka as ck
import pytest

from tests.support.clients import entries
from tests.support.clients.base import Client
from tests.support.clients.entries import Entry
from tests.support.clients.java import JavaClient
from tests.support.clients.libraries import JAVA, Libraries
from tests.support.process import certificates
from tests.support.process.every_way import TOKEN, EveryWay, every_way, prefix_of, user_of
from tests.support.waiting import PATIENCE, wait_for

pytestmark = [
    pytest.mark.slow,
    pytest.mark.java,
    pytest.mark.skipif(bool(certificates.missing()), reason=certificates.missing() or ""),
]
SESSION_MS = 3000
PAUSE_MS = 100
COUNT = SESSION_MS * 9 // 4 // PAUSE_MS
"""Records of two sessions and a bit."""
PRODUCERS = [
    ("confluent-kafka", "PLAIN"),
    ("confluent-kafka", "SCRAM-SHA-256"),
    ("confluent-kafka", "OAUTHBEARER"),
    *zip(JAVA, (TOKEN, "OAUTHBEARER"), strict=True),
]
ROUNDS = 3
"""One is enough: where the machine stands still, a session may end before its client is asked."""


@pytest.fixture(scope="module")
def site(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[EveryWay]:
    target = request.config.getoption("--target")
    settings = {"connections.max.reauth.ms": SESSION_MS}
    with every_way(tmp_path_factory.mktemp("sessions"), target, settings) as made:
        yield made


@pytest.fixture(scope="module")
def libraries(site: EveryWay) -> Iterator[Libraries]:
    made = Libraries(site.provider.tokens_url)
    yield made
    made.close()


class Kept(NamedTuple):
    """Of a producer: how often it has logged in again, None if it does not tell; how often its
    connection was lost; what else went wrong."""

    logins: int | None
    lost: int
    errors: list[str]

    @property
    def is_fine(self) -> bool:
        return (self.logins is None or self.logins >= 2) and not self.lost and not self.errors


def by_librdkafka(entry: Entry, topic: str) -> Kept:
    statistics: list[dict[str, Any]] = []
    errors: list[str] = []
    counted = {
        "statistics.interval.ms": 100,
        "stats_cb": lambda text: statistics.append(json.loads(text)),
        "error_cb": lambda error: errors.append(error.str()),
    }
    reach = {"bootstrap.servers": entry.where, **entries.librdkafka(entry)}
    producer = ck.Producer({**reach, **counted})
    delivered: list[object] = []

    def all_sent() -> bool:
        producer.produce(topic, b"v", on_delivery=lambda error, _: delivered.append(error))
        assert producer.flush(PATIENCE) == 0
        return len(delivered) >= COUNT

    wait_for(all_sent, what="all records", poll=PAUSE_MS / 1000)
    assert set(delivered) == {None}
    statistics.clear()
    wait_for(lambda: producer.poll(0.1) or statistics, what="statistics")
    (broker,) = (each for each in statistics[-1]["brokers"].values() if each["nodeid"] == 0)
    return Kept(None, broker["disconnects"], errors)


def by_java(client: Client, topic: str) -> Kept:
    assert isinstance(client, JavaClient)
    counts = client.produce_steadily(topic, COUNT, PAUSE_MS)
    failed = counts["failed-reauthentication-total"]
    # It closes the connection that it began with itself, once it knows the brokers.
    lost = max(0, counts["connection-close-total"] - 1)
    again = counts["successful-reauthentication-total"]
    return Kept(again, lost, [f"{failed} logins failed"] if failed else [])


def one_round(site: EveryWay, libraries: Libraries, number: int) -> list[Kept]:
    works: list[Callable[[], Kept]] = []
    for library, login in PRODUCERS:
        entry = site.entry("SASL_SSL", site.login(login))
        topic = f"{prefix_of(user_of('SASL_SSL', login))}{library}-{number}"
        client = libraries.client(library, entry)
        client.create_topic(topic)
        if library in JAVA:
            works.append(partial(by_java, client, topic))
        else:
            works.append(partial(by_librdkafka, entry, topic))
    with ThreadPoolExecutor(len(works)) as pool:
        return [each.result() for each in [pool.submit(work) for work in works]]


def test_producers_go_on_over_the_ends_of_their_sessions(
    site: EveryWay, libraries: Libraries
) -> None:
    for number in range(ROUNDS):
        found = one_round(site, libraries, number)
        if all(each.is_fine for each in found):
            return
    raise AssertionError(dict(zip(PRODUCERS, found, strict=True)))
