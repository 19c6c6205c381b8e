"""What the brokers of a cluster tell of it when one of them dies, and comes back."""

from __future__ import annotations

import pytest

from pykafka_ops.testing import KafkaCluster
from tests.support.process.scraped import SETTINGS, Scraped
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java, pytest.mark.timeout(300)]

URP = "kafka_server_replicamanager_underreplicatedpartitions"
UNDER_MIN = "kafka_server_replicamanager_underminisrpartitioncount"
SHRINKS = "kafka_server_replicamanager_isrshrinks_total"
EXPANDS = "kafka_server_replicamanager_isrexpands_total"
BROKERS = "kafka_controller_kafkacontroller_activebrokercount"
CONTROLLERS = "kafka_controller_kafkacontroller_activecontrollercount"
ELECTIONS = "kafka_controller_controllerstats_leaderelectionrateandtimems_count"
COPIED = "kafka_server_brokertopicmetrics_replicationbytesin_total"


def total(scraped: list[Scraped], name: str) -> float:
    return sum(each.samples()[name,] for each in scraped)


def test_a_dead_broker_is_seen_in_the_metrics_of_the_others(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    settings = {"zookeeper.session.timeout.ms": 2000, **SETTINGS}
    directory = tmp_path_factory.mktemp("cluster")
    with KafkaCluster(3, directory, settings) as cluster:
        cluster.create_topic(
            "t", partitions=6, replication_factor=3, configs={"min.insync.replicas": "3"}
        )
        said = [Scraped(broker.data_dir) for broker in cluster.brokers]
        wait_for(lambda: total(said, URP) == 0, what="all in sync")
        assert total(said, CONTROLLERS) == 1
        assert total(said, BROKERS) == 3  # of the controller alone
        assert total(said, "kafka_server_replicamanager_partitioncount") >= 18
        # Not the controller: one that takes over elects leaders without counting it (as Kafka's).
        dead = next(n for n, each in enumerate(said) if not total([each], CONTROLLERS))
        left = [each for n, each in enumerate(said) if n != dead]
        shrinks = total(left, SHRINKS)
        cluster.brokers[dead].kill()
        wait_for(lambda: total(left, URP) == 6, what="partitions without the dead broker")
        assert total(left, UNDER_MIN) == 6
        wait_for(lambda: total(left, BROKERS) == 2, what="two brokers")
        assert total(left, CONTROLLERS) == 1
        assert total(left, ELECTIONS) >= 1
        assert {each.get("/readyz")[0] for each in left} == {200}
        cluster.brokers[dead].start()
        wait_for(lambda: total(left, URP) == 0, what="all in sync again")
        assert total(left, EXPANDS) >= 1
        for each in left:
            found = each.samples()
            assert found["kafka_server_replicafetchermanager_maxlag", "Replica"] >= 0
            assert any(key[0] == "kafka_server_fetcherlagmetrics_consumerlag" for key in found)
            for change in ("disconnects", "expires", "syncconnects"):
                assert found[f"kafka_server_sessionexpirelistener_zookeeper{change}_total",] >= 0
            assert found["kafka_server_zookeeperclientmetrics_zookeeperrequestlatencyms_count",] > 0
            fetches = "kafka_network_requestmetrics_requests_total", "FetchFollower"
            assert sum(found[key] for key in found if key[:2] == fetches) > 0
        assert total(left, SHRINKS) >= shrinks
