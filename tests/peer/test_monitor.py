"""``pko monitor`` on Apache Kafka, on ZooKeeper and without: the lags of Kafka's own tool."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import confluent_kafka as ck
import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.share.membership import ShareMember
from tests.support.clients.base import Message
from tests.support.clients.confluent import ConfluentClient
from tests.support.clients.samples import messages
from tests.support.process.apache import ApacheBroker, run_tool
from tests.support.process.apache_kraft import KraftBroker
from tests.support.process.console import PATIENT, pko
from tests.support.process.monitor import MonitorProcess
from tests.support.process.streams import word_count
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(600)]
HERE = f"/api/v1/clusters/{PATIENT['PKO_PROFILE']}"
TOPIC, RECORDS = "watched", 20
Lags = dict[int, tuple[str, str, str]]
"""Committed offset, end and lag by partition, as Kafka's tool prints them."""


@pytest.fixture(scope="module")
def kraft(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KraftBroker]:
    broker = KraftBroker(tmp_path_factory.mktemp("kraft") / "data")
    try:
        yield broker.start()
    finally:
        broker.close()


def by_tool(bootstrap: str, group: str) -> Lags:
    said = run_tool(
        "kafka-consumer-groups", "--bootstrap-server", bootstrap, "--describe", "--group", group,
        "--timeout", "60000",
    )  # fmt: skip
    rows = [line.split() for line in said.stdout.splitlines() if line.startswith(group)]
    assert rows, (said.stdout, said.stderr)
    return {int(row[2]): (row[3], row[4], row[5]) for row in rows}


def by_monitor(monitor: MonitorProcess, group: str) -> Lags:
    status, body = monitor.get(f"{HERE}/groups/{group}")
    rows = json.loads(body)["rows"] if status == 200 else []
    return {
        row["partition"]: tuple(
            "-" if row[name] is None else str(row[name])
            for name in ("current_offset", "log_end_offset", "lag")
        )
        for row in rows
    }


def seen(monitor: MonitorProcess, bootstrap: str, group: str) -> dict[str, Any]:
    """The group, once the monitor tells of each partition what Kafka's tool does."""
    wanted = by_tool(bootstrap, group)

    wait_for(
        lambda: by_monitor(monitor, group) == wanted, what=f"lags of {group} are those of the tool",
        poll=0.2, about=(wanted, monitor.get(f"{HERE}/groups/{group}")[1]),
    )  # fmt: skip
    lags = [int(lag) for _, _, lag in wanted.values() if lag != "-"]
    said = json.loads(pko("groups", "lag", group, "-b", bootstrap, "-o", "json").stdout)
    row: dict[str, Any] = monitor.json(f"{HERE}/groups/{group}")
    same = ("group", "state", "partitions", "lag", "max_lag", "lead")
    assert {k: row[k] for k in same} == {k: said["items"][0][k] for k in same}
    assert (row["lag"], row["unknown_partitions"]) == (sum(lags), len(wanted) - len(lags))
    assert row["lag"] > 0
    return row


def classic_group(bootstrap: str) -> None:
    """One that has read some of it and left."""
    client = ConfluentClient(bootstrap)
    client.create_topic(TOPIC, 2)
    for partition in range(2):
        client.produce(TOPIC, messages(RECORDS // 2), partition=partition)
    said = pko("consume", TOPIC, "-b", bootstrap, "--group", "classic", "--from-beginning",
               "--max-messages", "7")  # fmt: skip
    assert said.returncode == 0, said.stderr


def test_apache_kafka_on_zookeeper(apache: ApacheBroker) -> None:
    classic_group(apache.bootstrap)
    with MonitorProcess("-b", apache.bootstrap, "--every", "1s") as monitor:
        row = seen(monitor, apache.bootstrap, "classic")
        assert (row["type"].lower(), row["members"]) == ("classic", 0)
        assert monitor.json(HERE)["facts"]["brokers"] == 1
        topic = monitor.json(f"{HERE}/topics/{TOPIC}")
        assert (topic["partitions"], topic["records"]) == (2, RECORDS)


def test_apache_kafka_4_with_groups_of_both_protocols(kraft: KraftBroker) -> None:
    classic_group(kraft.bootstrap)
    member = ck.Consumer(
        {
            "bootstrap.servers": kraft.bootstrap,
            "group.id": "modern",
            "group.protocol": "consumer",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
        }
    )
    member.subscribe([TOPIC])
    try:
        read = 0
        while read < 5:
            message = member.poll(1)
            read += message is not None and message.error() is None
        member.commit(asynchronous=False)
        with MonitorProcess("-b", kraft.bootstrap, "--every", "1s") as monitor:
            row = seen(monitor, kraft.bootstrap, "classic")
            assert row["type"].lower() == "classic"
            row = seen(monitor, kraft.bootstrap, "modern")
            assert (row["type"].lower(), row["state"], row["members"]) == ("consumer", "Stable", 1)
            assert monitor.json(HERE)["facts"]["brokers"] == 1
    finally:
        member.close()


def group(monitor: MonitorProcess, name: str) -> dict[str, Any]:
    status, body = monitor.get(f"{HERE}/groups/{name}")
    found: dict[str, Any] = json.loads(body) if status == 200 else {}
    return found


def alerted(monitor: MonitorProcess, name: str) -> set[str]:
    """The rules of alerts about a group, those that only may fire, too."""
    found = monitor.json("/api/v1/alerts")
    return {
        a["key"][0]
        for kind in ("firing", "pending", "resolved")
        for a in found.get(kind, ())
        if a["key"][2:] == ["group", name]
    }


def until(
    monitor: MonitorProcess,
    name: str,
    meanwhile: Callable[[], object] = lambda: None,
    **wanted: object,
) -> dict[str, Any]:
    """The group, once these of its fields are so."""
    wait_for(
        lambda: (meanwhile(), {k: group(monitor, name).get(k) for k in wanted})[1] == wanted,
        what=f"{name} has {wanted}", about=lambda: group(monitor, name), poll=0.2,
    )  # fmt: skip
    return group(monitor, name)


def test_apache_kafka_4_with_a_share_group_whose_member_is_done_with_nothing(
    kraft: KraftBroker,
) -> None:
    def ask(*words: str, text: str = "") -> None:
        said = pko(*words, "-b", kraft.bootstrap, text=text)
        assert said.returncode == 0, said.stderr

    ask("topics", "create", "shared", "-p", "1")
    ask("configs", "set", "groups", "sharing", "share.auto.offset.reset=earliest")
    ask("produce", "shared", text="".join(f"{n}\n" for n in range(100)))
    ask("consume", "shared", "--share", "sharing", "-n", "20")
    with MonitorProcess("-b", kraft.bootstrap, "--every", "1s") as monitor:
        row = until(monitor, "sharing", lag=80, members=0)
        assert (row["type"], row["status"], row["unknown_partitions"]) == ("Share", "STOP", 0)
        said = pko("groups", "lag", "sharing", "-b", kraft.bootstrap, "-o", "json")
        assert json.loads(said.stdout)["items"][0]["lag"] == 80
        config = ClientConfig.of({"bootstrap.servers": kraft.bootstrap})
        member = ShareMember(Cluster(config), "sharing", ["shared"])
        row = until(monitor, "sharing", meanwhile=member.beat, members=1, status="STALL")
        assert row["rows"][0]["client_id"]
        where = PATIENT["PKO_PROFILE"]
        labels = f'cluster="{where}",group="sharing",topic="shared"'
        text = monitor.get("/metrics")[1]
        assert f"pko_kafka_share_group_lag_sum{{{labels}}} 80\n" in text
        assert 'kafka_consumergroup_lag{consumergroup="sharing"' not in text
        assert monitor.get(f"/v3/kafka/{where}/consumer/sharing/status")[0] == 404
        assert alerted(monitor, "sharing") >= {"group-stalled"}
        member.leave()
        member.cluster.close()


def words(count: int) -> list[Message]:
    return [Message(b"word %d" % n) for n in range(count)]


def test_apache_kafka_4_with_a_streams_application_that_dies(
    kraft: KraftBroker, tmp_path: Path
) -> None:
    client = ConfluentClient(kraft.bootstrap)
    client.create_topic("spoken", 1)
    client.create_topic("spoken-counts", 1)
    client.produce("spoken", words(30), partition=0)
    with MonitorProcess("-b", kraft.bootstrap, "--every", "1s") as monitor:
        with word_count(kraft, tmp_path, "speaking", "spoken", "spoken-counts") as process:
            row = until(monitor, "speaking", lag=0, status="OK", unknown_partitions=0, members=1)
            assert (row["type"], row["state"]) == ("Streams", "Stable")
            tasks = [(t["subtopology"], t["partition"]) for t in row["member_list"][0]["tasks"]]
            assert tasks == [("0", 0), ("1", 0)]
            assert [part["sources"] for part in row["topology"]] == [["spoken"], []]
            process.kill()
            process.wait(120)
        client.produce("spoken", words(50), partition=0)
        row = until(monitor, "speaking", status="STOP", members=0)
        assert row["lag"] >= 50  # and markers of a transaction that it had begun
        assert "group-stopped" in alerted(monitor, "speaking")


def test_apache_kafka_4_tells_of_its_quorum(kraft: KraftBroker) -> None:
    with MonitorProcess("-b", kraft.bootstrap, "--every", "1s") as monitor:
        found = monitor.json(HERE)
        said = json.loads(pko("quorum", "status", "-b", kraft.bootstrap, "-o", "json").stdout)
        (item,) = said["items"]
        quorum = found["quorum"]
        assert (quorum["leader"], quorum["epoch"]) == (item["leader"], item["epoch"])
        facts = ("quorum_lost", "quorum_voters", "voters_behind", "brokers_fenced")
        assert [found["facts"][f] for f in facts] == [0, 1, 0, 0]
        assert found["fenced"] == []
