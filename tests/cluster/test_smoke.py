"""``pko smoke`` on three brokers of ours: whole, with one dead, with too few replicas in sync."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.testing import KafkaCluster
from tests.support.process.console import pko
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java]


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    """Three brokers that a test may kill; the tests here stand in their order."""
    settings = {"zookeeper.session.timeout.ms": 10_000}
    with KafkaCluster(3, tmp_path_factory.mktemp("cluster"), settings) as found:
        yield found


TIME = ("--wait", "60s", "--timeout", "60s")
"""For what should succeed."""


def smoke(cluster: KafkaCluster, *more: str) -> tuple[int, dict[str, dict[str, str]]]:
    said = pko("smoke", "-b", cluster.bootstrap_servers, "-o", "json", *more)
    return said.returncode, {row["step"]: row for row in json.loads(said.stdout)["items"]}


def test_every_broker_is_written_to_and_read_from(own: KafkaCluster) -> None:
    code, rows = smoke(own, "--brokers", "3", *TIME)
    assert (code, [row for row in rows.values() if row["verdict"] != "ok"]) == (0, [])
    assert rows["create"]["detail"] == "3 partitions, 3 replicas each"
    assert rows["produce"]["detail"] == "acks=all through 3 brokers"
    assert rows["consume"]["detail"] == "the same from 3 brokers"
    code, rows = smoke(own, "--read-only", *TIME)
    assert (code, rows["consume"]["verdict"]) == (0, "ok")


def test_a_dead_broker_is_named_and_the_others_are_tried(own: KafkaCluster) -> None:
    own.create_topic(
        "guarded", partitions=3, replication_factor=3, configs={"min.insync.replicas": "3"}
    )
    assert smoke(own, "--topic", "guarded", *TIME)[0] == 0
    own.brokers[2].kill()
    code, rows = smoke(own)  # ZooKeeper may not have noticed yet
    assert code == 4
    assert "broker 2" in rows["metadata"]["where"]
    wait_for(lambda: len(live(own)) == 2, what="the end of its session", poll=0.1)
    code, rows = smoke(own, *TIME)
    assert code == 4
    assert (rows["metadata"]["verdict"], rows["metadata"]["where"]) == ("failed", "broker 2")
    assert rows["metadata"]["reason"].startswith("is gone; it holds ")
    others = [row for name, row in rows.items() if name != "metadata"]
    assert [row for row in others if row["verdict"] != "ok"] == []


def test_too_few_replicas_in_sync_are_counted_where_it_is_written(own: KafkaCluster) -> None:
    """``min.insync.replicas`` is more than the ISR has."""
    code, rows = smoke(own, "--topic", "guarded")
    assert code == 4
    produce = rows["produce"]
    assert produce["where"].startswith("guarded-")
    assert produce["reason"].startswith("2 of 3 replicas in sync: ")
    assert produce["reason"].endswith("[NOT_ENOUGH_REPLICAS]")
    assert {rows[name]["verdict"] for name in ("consume", "group", "transaction")} == {"not run"}


def live(cluster: KafkaCluster) -> set[int]:
    asked = Cluster(ClientConfig.of({"bootstrap.servers": cluster.bootstrap_servers.split(",")[0]}))
    try:
        asked.metadata([])
        return set(asked.nodes)
    finally:
        asked.close()


def test_a_silent_broker_costs_no_more_than_the_time_allowed(own: KafkaCluster) -> None:
    """It is stopped (SIGSTOP), its connections stay open; whoever is controller may be it."""
    own.brokers[1].pause()
    try:
        code, rows = smoke(own, "--timeout", "5s")
    finally:
        own.brokers[1].resume()
    assert code == 4
    assert "broker 1" in rows["metadata"]["where"]
    assert "answers nothing" in rows["metadata"]["reason"]
    wait_for(lambda: smoke(own)[1]["create"]["verdict"] == "ok", what="it to be back")
