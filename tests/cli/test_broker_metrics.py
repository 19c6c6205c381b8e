"""What a broker tells of itself is so, and is called what Apache Kafka calls it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import confluent_kafka as ck
import pytest

from tests.support.clients.base import Message, RefusedError
from tests.support.clients.confluent import ConfluentClient
from tests.support.clients.samples import messages
from tests.support.process.broker import BrokerProcess
from tests.support.process.console import pko
from tests.support.process.logins import LoginBroker, login_settings, module
from tests.support.process.scraped import SETTINGS, Scraped
from tests.support.waiting import wait_for

pytestmark = pytest.mark.live

GOLDEN = Path(__file__).parents[1] / "golden" / "metrics" / "beans-3.9.1.txt"
BEAN = re.compile(r"(\S+):type=([^,\s]+)(?:,name=(\S+))? \[(.*?)\] (.*)")


@pytest.fixture(scope="module")
def telling(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    broker = BrokerProcess(tmp_path_factory.mktemp("telling") / "data", SETTINGS)
    try:
        yield broker.start()
    finally:
        broker.close()


@pytest.fixture
def scraped(telling: BrokerProcess) -> Scraped:
    return Scraped(telling.data_dir)


def golden() -> dict[tuple[str, str, str, tuple[str, ...]], set[str]]:
    """Attributes by domain, type, name and labels of all that Apache Kafka 3.9.1 has."""
    found = {}
    for line in GOLDEN.read_text().splitlines():
        read = BEAN.fullmatch(line)
        assert read is not None, line
        domain, kind, name, labels, attributes = read.groups()
        found[domain, kind, name or "", tuple(labels.split(","))] = set(attributes.split())
    return found


def test_beans_labels_and_attributes_are_those_of_apache_kafka(
    telling: BrokerProcess, scraped: Scraped, topic: str
) -> None:
    client = ConfluentClient(telling.bootstrap)
    client.create_topic(topic, 2)
    client.produce(topic, messages(10))
    known = golden()
    heard = [row for row in scraped.json() if row["bean"]]
    assert len(heard) > 50
    for row in heard:
        domain, _, keys = row["bean"].partition(":")
        pairs = dict(pair.split("=", 1) for pair in keys.split(","))
        labels = tuple(label for label in row["labels"] if label != "quantile")
        key = (domain, pairs["type"], pairs.get("name", ""), labels or ("",))
        assert row["attribute"] in known.get(key, set()), row


def test_logs_and_partitions_are_told_as_commands_tell_them(
    telling: BrokerProcess, scraped: Scraped, topic: str
) -> None:
    client = ConfluentClient(telling.bootstrap)
    client.create_topic(topic, 3)
    client.produce(topic, messages(50))
    at = ("-b", telling.bootstrap, "-o", "json")
    ends = json.loads(pko("get-offsets", "--topic", topic, *at).stdout)["items"]
    found = scraped.samples()
    for row in ends:
        of = (topic, str(row["partition"]))
        files = telling.data_dir.glob(f"{topic}-{row['partition']}/*.log")
        assert found["kafka_log_log_logendoffset", *of] == row["offset"]
        assert found["kafka_log_log_size", *of] == sum(file.stat().st_size for file in files)
        assert found["kafka_cluster_partition_underreplicated", *of] == 0
        assert found["kafka_cluster_partition_insyncreplicascount", *of] == 1
    assert found["kafka_controller_kafkacontroller_activecontrollercount",] == 1
    counts = ("replicamanager_leadercount", "replicamanager_partitioncount")
    listed = found["kafka_controller_kafkacontroller_globalpartitioncount",]
    assert {found[f"kafka_server_{name}",] for name in counts} == {listed}


def test_topics_count_what_clients_send_and_get(
    telling: BrokerProcess, scraped: Scraped, topic: str
) -> None:
    client = ConfluentClient(telling.bootstrap)
    client.create_topic(topic, configs={"max.message.bytes": "200000"})
    name = "kafka_server_brokertopicmetrics_{}_total"
    before = scraped.samples()
    client.produce(topic, messages(30))
    assert len(client.consume(topic, 30)) == 30
    with pytest.raises(RefusedError):
        client.produce(topic, [Message(b"k", bytes(300_000))])
    found = scraped.samples()
    size = (telling.data_dir / f"{topic}-0" / f"{0:020d}.log").stat().st_size
    assert found[name.format("messagesin"), topic] == 30
    assert found[name.format("bytesin"), topic] == size
    assert found[name.format("bytesout"), topic] >= size
    assert found[name.format("bytesrejected"), topic] > 300_000
    assert found[name.format("totalproducerequests"), topic] >= 2
    assert found[name.format("totalfetchrequests"), topic] >= 1
    assert (name.format("failedproducerequests"), topic) not in found
    for counter in ("messagesin", "bytesin", "bytesout", "bytesrejected"):
        of_topic = found[name.format(counter), topic]
        assert found[name.format(counter),] >= before[name.format(counter),] + of_topic
    client.delete_topic(topic)
    wait_for(lambda: (name.format("bytesin"), topic) not in scraped.samples(), what="its end")
    assert scraped.samples()[name.format("bytesin"),] >= found[name.format("bytesin"),]


def test_groups_and_connections_are_counted(
    telling: BrokerProcess, scraped: Scraped, topic: str
) -> None:
    client = ConfluentClient(telling.bootstrap)
    client.create_topic(topic)
    before = scraped.samples()
    client.produce(topic, messages(1))
    settings = {"bootstrap.servers": telling.bootstrap, "group.id": f"{topic}-group"}
    member = ck.Consumer(settings | {"auto.offset.reset": "earliest"})
    try:
        member.subscribe([topic])
        wait_for(lambda: member.poll(1.0), what="a record")
        stable = ("kafka_coordinator_group_groupmetadatamanager_numgroupsstable",)
        connections = ("kafka_server_socket_server_metrics_connection_count", "PLAINTEXT", "0")
        found = scraped.samples()
        assert found[stable] == before[stable] + 1
        assert found[connections] > 0
        member.commit(asynchronous=False)
        offsets = ("kafka_coordinator_group_groupmetadatamanager_numoffsets",)
        assert scraped.samples()[offsets] == before[offsets] + 1
    finally:
        member.close()


def test_requests_are_counted_and_timed_by_api(
    telling: BrokerProcess, scraped: Scraped, topic: str
) -> None:
    client = ConfluentClient(telling.bootstrap)
    client.create_topic(topic)
    before, name = scraped.samples(), "kafka_network_requestmetrics_{}"
    client.produce(topic, messages(20))
    assert len(client.consume(topic, 20)) == 20
    found = scraped.samples()

    def grown(*key: str) -> float:
        return found.get(key, 0) - before.get(key, 0)

    def requests(api: str) -> float:
        counter = name.format("requests_total")
        return sum(grown(*key) for key in found if key[:2] == (counter, api))

    assert requests("Produce") >= 1
    assert requests("Fetch") == requests("FetchConsumer") >= 1
    assert requests("FetchFollower") == 0
    assert grown(name.format("errors_total"), "Produce", "NONE") >= 1
    assert requests("CreateTopics") == 0
    assert found[name.format("errors_total"), "CreateTopics", "NONE"] >= 1
    for api in ("Produce", "Fetch", "FetchConsumer"):
        assert found[name.format("totaltimems"), api, "0.99"] > 0
        seconds = "pko_broker_request_seconds"
        for part in ("total", "queue", "local", "remote", "throttle", "send"):
            number = found[f"{seconds}_count", api, part]
            assert found[f"{seconds}_bucket", api, part, "+Inf"] == number > 0
        assert found["pko_broker_requests_timed_total", api] > 0
        parts = [found[f"{seconds}_sum", api, p] for p in ("queue", "local", "remote", "send")]
        assert found[f"{seconds}_sum", api, "total"] == pytest.approx(sum(parts), abs=1e-6)
    assert found[f"{name.format('requestbytes')}_sum", "Produce"] > 0


def test_the_command_finds_metrics_by_either_name(telling: BrokerProcess) -> None:
    where = ("--data-dir", str(telling.data_dir), "-o", "json")
    words = ("leadercount", "kafka.server:type=KafkaServer,name=BrokerState*")
    items = json.loads(pko("broker", "metrics", *words, *where).stdout)["items"]
    assert {item["metric"] for item in items} == {
        "kafka_server_replicamanager_leadercount",
        "kafka_server_kafkaserver_brokerstate",
    }
    nothing = pko("broker", "metrics", "nosuch", *where)
    assert (nothing.returncode, nothing.stderr.count(b"\n")) == (1, 1)
    (row,) = json.loads(pko("broker", "status", *where).stdout)["items"]
    assert row["metrics"].startswith("http://127.0.0.1:")


def test_a_broker_that_asks_for_logins_counts_them_and_tells_no_secret(tmp_path: Path) -> None:
    broker = LoginBroker(tmp_path / "data", login_settings() | SETTINGS)
    counters = ("successful", "failed")

    def told() -> str:
        said = pko("broker", "metrics", "authentication", "--data-dir", str(broker.data_dir),
                   "-o", "json")  # fmt: skip
        assert said.returncode == 0, said.stderr
        return said.stdout.decode()

    def counted() -> dict[str, float]:
        found = dict.fromkeys(counters, 0.0)
        for item in json.loads(told())["items"]:
            if item["labels"].get("listener") == "LOGIN" and item["metric"].endswith("_total"):
                (name,) = (name for name in counters if name in item["metric"])
                found[name] += item["value"]
        return found

    try:
        broker.start()
        for password, code in (("alice-secret", 0), ("not it", 3)):
            line = module("PLAIN", username="alice", password=password)
            login = ("security.protocol=SASL_PLAINTEXT", "sasl.mechanism=PLAIN",
                     f"sasl.jaas.config={line}")  # fmt: skip
            words = [word for pair in login for word in ("-X", pair)]
            said = pko("topics", "list", "-b", broker.login_bootstrap, *words)
            assert said.returncode == code, said.stderr
        assert counted() == {"successful": 1, "failed": 1}
        assert "alice-secret" not in told()
    finally:
        broker.close()


def test_a_broker_that_tells_nothing_says_how_it_would(tmp_path: Path) -> None:
    broker = BrokerProcess(tmp_path / "data")
    where = ("--data-dir", str(tmp_path / "data"))
    try:
        broker.start()
        silent = pko("broker", "metrics", *where)
        assert silent.returncode == 2
        assert b"metrics.listen" in silent.stderr and silent.stderr.count(b"\n") == 1
        elsewhere = pko(
            "broker", "metrics", "--url", f"http://{broker.bootstrap}", "--timeout", "2s"
        )
        assert elsewhere.returncode == 3 and elsewhere.stderr.count(b"\n") == 1
    finally:
        broker.close()
    assert pko("broker", "metrics", *where).returncode == 3


def test_an_address_that_is_taken_is_named(telling: BrokerProcess, tmp_path: Path) -> None:
    (row,) = json.loads(
        pko("broker", "status", "--data-dir", str(telling.data_dir), "-o", "json").stdout
    )["items"]
    address = row["metrics"].removeprefix("http://")
    code, said = BrokerProcess(tmp_path / "data", {"metrics.listen": address}).start_refused()
    assert code == 1
    assert f"metrics.listen={address}" in said
