"""What dashboards ask for is served, or it is said why not; and every scrape is well formed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_open
from prometheus_client.parser import text_string_to_metric_families as parse

from tests.support.clients.confluent import ConfluentClient
from tests.support.clients.quotas import limit
from tests.support.clients.samples import messages
from tests.support.process.broker import BrokerProcess
from tests.support.process.scraped import SETTINGS, Scraped
from tests.support.waiting import wait_for

pytestmark = pytest.mark.live

NAMES = Path(__file__).parents[1] / "golden" / "metrics" / "dashboards.txt"
NAME = re.compile(r"[a-z_:][a-z0-9_:]*")


@pytest.fixture(scope="module", params=["strimzi", "strimzi,confluent"])
def broker(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BrokerProcess]:
    """One that has been used, also by a client with quotas."""
    settings = SETTINGS | {"metrics.dialects": request.param}
    made = BrokerProcess(tmp_path_factory.mktemp("dashboards") / "data", settings)
    try:
        made.start()
        client = ConfluentClient(made.bootstrap)
        client.create_topic("boards", 2, {"flush.messages": "1"})
        limit(
            made.bootstrap, "boards", "rdkafka", producer_byte_rate=10**12, request_percentage=10**6
        )
        client.produce("boards", messages(20))
        assert len(client.consume("boards", 20)) == 20
        yield made
    finally:
        made.close()


def scrape(broker: BrokerProcess, **headers: str) -> str:
    status, text = Scraped(broker.data_dir).get("/metrics", **headers)
    assert status == 200
    return text


def test_what_dashboards_ask_for_is_there_or_it_is_said_why_not(broker: BrokerProcess) -> None:
    wanted = [line.partition("  ") for line in NAMES.read_text().splitlines()]
    assert len(wanted) > 80

    def heard() -> set[str]:
        return {sample.name for family in parse(scrape(broker)) for sample in family.samples}

    def missing() -> list[str]:
        """What is not there, or not yet: the coordinator of groups loads when it is first asked."""
        names = heard()
        return [name for name, _, reason in wanted if not reason and name not in names]

    wait_for(lambda: not missing(), what="all is there", about=missing)
    names = heard()
    assert [name for name, _, reason in wanted if reason and name in names] == []


def test_a_scrape_is_well_formed(broker: BrokerProcess) -> None:
    text = scrape(broker)
    heads = Counter(line.split(" ")[1:3][1] for line in text.splitlines() if line[:6] == "# TYPE")
    assert set(heads.values()) == {1}
    helps = Counter(line.split(" ")[2] for line in text.splitlines() if line[:6] == "# HELP")
    assert helps == heads
    series: Counter[tuple[str, frozenset[tuple[str, str]]]] = Counter()
    for family in parse(text):
        for sample in family.samples:
            assert NAME.fullmatch(sample.name), sample
            series[sample.name, frozenset(sample.labels.items())] += 1
            if family.type == "counter":
                assert sample.name.endswith("_total"), sample
                assert not sample.name.endswith("_total_total"), sample
            if family.type in ("counter", "histogram"):
                assert sample.value >= 0, sample
    assert [one for one, number in series.items() if number > 1] == []


def test_both_formats_tell_the_same_names(broker: BrokerProcess) -> None:
    accept = {"Accept": "application/openmetrics-text; version=1.0.0"}

    def names() -> tuple[set[str], set[str]]:
        plain = {s.name for f in parse(scrape(broker)) for s in f.samples}
        opened = {s.name for f in parse_open(scrape(broker, **accept)) for s in f.samples}
        return plain, opened

    def alike() -> bool:
        """Some are told of only once there is something to tell: it may come between the two."""
        plain, opened = names()
        return plain == opened

    wait_for(alike, what="both tell the same", about=names)
    assert len(names()[0]) > 100


def test_buckets_only_grow_with_their_bound(broker: BrokerProcess) -> None:
    found: dict[tuple[str, ...], list[float]] = {}
    for family in parse(scrape(broker)):
        for sample in family.samples:
            if sample.name.endswith("_bucket"):
                labels = {k: v for k, v in sample.labels.items() if k != "le"}
                found.setdefault((sample.name, *labels.values()), []).append(sample.value)
    assert found
    for key, values in found.items():
        assert values == sorted(values), key


def test_a_client_with_a_quota_is_told_of_by_its_name(broker: BrokerProcess) -> None:
    found = Scraped(broker.data_dir).samples()
    assert found["kafka_server_quota_byte_rate", "Produce", "", "rdkafka"] >= 0
    assert found["kafka_server_quota_request_time", "Request", "", "rdkafka"] >= 0


def test_connections_are_counted_as_they_come_and_go(broker: BrokerProcess) -> None:
    name = "kafka_server_socket_server_metrics_connection_{}"
    found = Scraped(broker.data_dir).samples()
    open_now = found[name.format("count"), "PLAINTEXT", "0"]
    made = found[name.format("creation_total"), "PLAINTEXT", "0"]
    assert made - found[name.format("close_total"), "PLAINTEXT", "0"] == open_now
    assert made > 0


def test_clients_are_counted_by_what_their_library_is_called(broker: BrokerProcess) -> None:
    name = "kafka_server_socket_server_metrics_connections_software"
    client = AdminClient({"bootstrap.servers": broker.bootstrap})
    client.list_topics(timeout=60)
    found = Scraped(broker.data_dir).samples()
    assert sum(v for key, v in found.items() if key[:2] == (name, "confluent-kafka-python")) >= 1
    connections = found["kafka_server_socket_server_metrics_connection_count", "PLAINTEXT", "0"]
    assert sum(v for key, v in found.items() if key[0] == name) == connections
