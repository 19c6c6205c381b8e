"""Three brokers under load with acks=all: whatever fails, nothing acknowledged is lost.

Here those of the faults that differ most; ``scripts/fault_matrix`` runs them all, for as long as
one likes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping

import confluent_kafka as ck
import pytest
from kazoo.client import KazooClient

from tests.support.cluster.faults import run_fault
from tests.support.cluster.faulty_cluster import FaultyCluster
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow]


@pytest.mark.parametrize(
    "name",
    [
        "kill_leader",
        "pause_controller",
        "zookeeper_away",
        "cut_off",
        "fail_log_dir",
        "fill_disk",
        "set_clocks",
    ],
)
def test_nothing_acknowledged_is_lost(faulty_cluster: FaultyCluster, name: str) -> None:
    assert run_fault(faulty_cluster, name, name.replace("_", "-"), seed=1) > 0


@pytest.mark.parametrize(("name", "seed"), [("kill_all", 1), ("two_at_once", 4)])
def test_transactions_and_groups_go_on_after_the_worst(
    faulty_cluster: FaultyCluster, name: str, seed: int
) -> None:
    assert run_fault(faulty_cluster, name, f"worst-{name}", seed, more=True) > 0


def produce(bootstrap: str, topic: str) -> ck.KafkaError | None:
    """Send one record with acks=all and without a retry; what became of it."""
    outcome: list[ck.KafkaError | None] = []
    config = {"bootstrap.servers": bootstrap, "acks": "all", "retries": 0, "log_level": 0}
    producer = ck.Producer(config)
    producer.produce(topic, b"x", on_delivery=lambda error, _: outcome.append(error))
    assert producer.flush(120) == 0
    return outcome[0]


def wait_taken(cluster: FaultyCluster, topic: str) -> None:
    """Until a record is taken: sessions are short, and a leader that stood still is replaced."""
    found: list[ck.KafkaError | None] = []

    def taken() -> bool:
        found[:] = [produce(cluster.bootstrap, topic)]
        return found == [None]

    wait_for(taken, what=f"a record in {topic}", about=found, poll=0.1)


def test_too_few_replicas_in_sync_is_an_error_and_not_silence(
    faulty_cluster: FaultyCluster,
) -> None:
    topic = faulty_cluster.create_topic("guarded", 1, {"min.insync.replicas": 3})
    wait_taken(faulty_cluster, topic)
    leader = faulty_cluster.leader(topic)
    victim = next(b for b in faulty_cluster.brokers if b.broker_id != leader)
    victim.kill()
    wait_for(lambda: len(faulty_cluster.in_sync(topic)[0]) == 2, what="a smaller ISR", poll=0.1)

    def refused() -> bool:
        error = produce(faulty_cluster.bootstrap, topic)
        return error is not None and error.code() == ck.KafkaError.NOT_ENOUGH_REPLICAS

    wait_for(refused, what="NOT_ENOUGH_REPLICAS")
    faulty_cluster.restore()
    faulty_cluster.wait_in_sync(topic)
    wait_taken(faulty_cluster, topic)


BAD = {
    "/brokers/topics/bad-znode": b"not json",
    "/brokers/topics/bad-replicas": b'{"version":3,"partitions":{"0":["x"]}}',
    "/brokers/ids/99": b"{}",
    "/config/changes/config_change_": b"\xff\x00",
    "/isr_change_notification/isr_change_": b"[",
    "/admin/preferred_replica_election": b"[",
    "/admin/reassign_partitions": b'{"version":1,"partitions":7}',
}
BAD_AT_START = {
    **BAD,
    "/config/topics/bad-config": b'{"version":1,"config":7}',
    "/config/users/bad-user": b"",
    "/brokers/topics/bad-state": b'{"version":3,"partitions":{"0":[0,1,2]},"topic_id":"?"}',
    "/admin/delete_topics/no-such-topic": b"?",
}


@contextlib.contextmanager
def written(cluster: FaultyCluster, znodes: Mapping[str, bytes]) -> Iterator[None]:
    """These znodes, written by hand for a while."""
    client = KazooClient(cluster.kafka.zookeeper.connect)
    client.start(60)
    made: list[str] = []
    try:
        for path, data in znodes.items():
            made.append(client.create(path, data, sequence=path.endswith("_"), makepath=True))
        yield
    finally:
        for path in made:
            if client.exists(path):
                client.delete(path, recursive=True)
        client.stop()
        client.close()


def said(cluster: FaultyCluster, since: Mapping[int, int]) -> str:
    """What brokers wrote into their logs since those sizes."""
    logs = [b.log.read_bytes()[since[b.broker_id] :] for b in cluster.brokers]
    return b"".join(logs).decode(errors="replace")


def sizes(cluster: FaultyCluster) -> dict[int, int]:
    return {b.broker_id: b.log.stat().st_size for b in cluster.brokers}


@pytest.mark.parametrize("path", list(BAD))
def test_a_znode_that_makes_no_sense_is_reported_and_not_fatal(
    faulty_cluster: FaultyCluster, path: str
) -> None:
    since = sizes(faulty_cluster)
    with written(faulty_cluster, {path: BAD[path]}):
        name = path.rpartition("/")[2].removesuffix("_")
        topic = faulty_cluster.create_topic(f"after-{name}", 1)
        wait_taken(faulty_cluster, topic)

        def reported() -> bool:
            lines = said(faulty_cluster, since).splitlines()
            return any(name in line and ("ERROR" in line or "WARN" in line) for line in lines)

        wait_for(reported, what=f"a line about {name} in a log", poll=0.1)
    assert all(b.pid is not None for b in faulty_cluster.brokers)
    assert "Traceback" not in said(faulty_cluster, since)


def test_brokers_start_and_take_over_with_znodes_that_make_no_sense(
    faulty_cluster: FaultyCluster,
) -> None:
    topic = faulty_cluster.create_topic("sensible", 3)
    since = sizes(faulty_cluster)
    with written(faulty_cluster, BAD_AT_START):
        for broker in faulty_cluster.brokers:
            broker.stop()
            broker.start()
            faulty_cluster.wait_in_sync(topic)
        faulty_cluster.create_topic("sensible-too", 3)
        wait_taken(faulty_cluster, topic)
        wait_taken(faulty_cluster, "sensible-too")
    text = said(faulty_cluster, since)
    assert "Traceback" not in text
    assert "bad-config" in text
