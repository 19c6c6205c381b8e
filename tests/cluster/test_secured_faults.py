"""Brokers of Apache Kafka and of ours under load over SASL_SSL, clients under access rules: what is
acknowledged outlives a fault, and so do the rules.

Here one of the faults; ``scripts/fault_matrix --secure`` runs them all, for as long as one likes.
"""

from __future__ import annotations

from collections.abc import Iterator

import confluent_kafka as ck
import pytest

from pykafka_ops.security.acls.rules import Operation, ResourceType
from tests.support.cluster.faults import run_fault
from tests.support.cluster.secured_faulty import SecuredFaultyCluster
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow]


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredFaultyCluster]:
    """Broker 0 is Apache Kafka's."""
    found = SecuredFaultyCluster(tmp_path_factory.mktemp("secured"))
    try:
        yield found.start()
    finally:
        found.close()


def test_nothing_acknowledged_is_lost(secured: SecuredFaultyCluster) -> None:
    assert run_fault(secured, "kill_controller", "secured", seed=1) > 0


def refusal(secured: SecuredFaultyCluster, topic: str) -> ck.KafkaError | None:
    """What a client hears that writes to the topic; None if it may."""
    outcome: list[ck.KafkaError | None] = []
    producer = ck.Producer({**secured.client, "acks": "all", "log_level": 0})
    producer.produce(topic, b"x", on_delivery=lambda error, _: outcome.append(error))
    assert producer.flush(120) == 0
    return outcome[0]


def test_rights_outlive_kill_9_of_all_brokers(secured: SecuredFaultyCluster) -> None:
    secured.create_topic("open", 1)
    secured.create_topic("shut", 1)
    secured.forbid(ResourceType.TOPIC, "shut", Operation.ALL)
    for server in (broker.bootstrap_servers for broker in secured.brokers):
        wait_for(lambda at=server: not secured.may_use(at, "shut"), what=f"the rule at {server}")
    for broker in secured.brokers:
        broker.kill()
    secured.restore()
    secured.wait_in_sync("shut")
    for broker in secured.brokers:
        assert secured.may_use(broker.bootstrap_servers, "open"), broker.what
        assert not secured.may_use(broker.bootstrap_servers, "shut"), broker.what
    error = refusal(secured, "shut")
    assert error is not None
    assert error.code() == ck.KafkaError.TOPIC_AUTHORIZATION_FAILED
    assert refusal(secured, "open") is None
