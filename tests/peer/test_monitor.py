"""``pko monitor`` on Apache Kafka, on ZooKeeper and without: the lags of Kafka's own tool."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import confluent_kafka as ck
import pytest

from tests.support.clients.confluent import ConfluentClient
from tests.support.clients.samples import messages
from tests.support.process.apache import ApacheBroker, run_tool
from tests.support.process.apache_kraft import KraftBroker
from tests.support.process.console import PATIENT, pko
from tests.support.process.monitor import MonitorProcess
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
