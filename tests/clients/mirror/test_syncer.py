"""What differs is made at the target, with access rules, quotas and deletes, and then nothing
differs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from pykafka_ops.client.acls import create_acls, describe_acls
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.configs import TOPIC, AlterOp, ConfigResource, alter_configs
from pykafka_ops.client.quotas import FilterComponent, alter_quotas, describe_quotas, entity_of
from pykafka_ops.client.scram import NewCredential, alter_scram
from pykafka_ops.client.topic_changes import NewTopic, create_topics, delete_topics
from pykafka_ops.mirror.run.outlook import LinkOutlook
from pykafka_ops.mirror.run.syncer import Syncer
from pykafka_ops.mirror.run.told import Told
from pykafka_ops.mirror.settings.model import LinkSettings
from pykafka_ops.security.acls.rules import (
    AclBinding,
    AclEntry,
    Operation,
    PatternType,
    Permission,
    ResourcePattern,
    ResourceType,
)
from pykafka_ops.settings.scram import MECHANISMS
from tests.support.process.broker import BrokerProcess
from tests.support.process.mirror import client, partitions
from tests.support.waiting import wait_for

pytestmark = pytest.mark.slow
LINK = LinkSettings("a", "b", sync_quotas=True, sync_users=True, deletes="delete")
RULES = {
    "authorizer_class_name": "kafka.security.authorizer.AclAuthorizer",
    "super_users": "User:ANONYMOUS",
}


class Sides:
    """Both clusters of a link, and what makes the target follow."""

    def __init__(self, a: BrokerProcess, b: BrokerProcess) -> None:
        self.source, self.target = client(a.bootstrap), client(b.bootstrap)
        self._configs = [ClientConfig.of({"bootstrap.servers": x.bootstrap}) for x in (a, b)]
        self.syncer = Syncer(LINK, *self._configs)

    def close(self) -> None:
        self.syncer.close()
        self.source.close()
        self.target.close()

    def look(self, now_ms: int = 0) -> LinkOutlook:
        return self.syncer.look(now_ms, deep=True)[0]

    def follow(self, now_ms: int = 0) -> LinkOutlook:
        """Look and apply until nothing differs."""

        seen: list[LinkOutlook] = []

        def settled() -> bool:
            outlook, source, _ = self.syncer.look(now_ms, deep=True)
            seen.append(outlook)
            return not self.syncer.apply(outlook, source, now_ms, Told("a->b"))

        wait_for(settled, what="nothing is left to do")
        return seen[-1]


@pytest.fixture
def sides(make_broker: Callable[..., BrokerProcess]) -> Iterator[Sides]:
    made = Sides(make_broker("a", **RULES).start(), make_broker("b", **RULES).start())
    yield made
    made.close()


def rule(topic: str, operation: Operation) -> AclBinding:
    place = ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL)
    return AclBinding(place, AclEntry("User:x", "*", operation, Permission.ALLOW))


def users(cluster: Cluster) -> dict[str, float]:
    found = describe_quotas(cluster, [FilterComponent("user", "x")])
    return found.get(entity_of({"user": "x"}), {})


def test_all_that_follows_follows(sides: Sides) -> None:
    create_topics(sides.source, [NewTopic("t", 3, 1)])
    create_acls(sides.source, [rule("t", Operation.READ), rule("t", Operation.WRITE)])
    alter_quotas(sides.source, {entity_of({"user": "x"}): {"producer_byte_rate": 1e6}})
    alter_scram(sides.source, {"x": [NewCredential(MECHANISMS["SCRAM-SHA-256"], 4096, "secret")]})
    kinds = {step.kind for step in sides.look().plan.steps()}
    assert kinds == {"create topic", "add rule", "set quota"}

    outlook = sides.follow()
    assert partitions(sides.target, "a.t") == 3
    assert describe_acls(sides.target) == [rule("a.t", Operation.READ)]
    assert users(sides.target) == {"producer_byte_rate": 1e6}
    assert sorted(outlook.tasks) == [("t", 0), ("t", 1), ("t", 2)]
    assert any("pko users add x --mechanism SCRAM-SHA-256" in n for n in outlook.plan.notes)
    assert not outlook.troubles


def test_settings_follow_and_limits_are_known(sides: Sides) -> None:
    create_topics(sides.source, [NewTopic("t", 1, 1)])
    sides.follow()
    place = ConfigResource(TOPIC, "t")
    changes = [(AlterOp.SET, "retention.ms", "5000"), (AlterOp.SET, "max.message.bytes", "3000000")]
    alter_configs(sides.source, {place: changes})
    outlook = sides.follow()
    assert outlook.plan.is_empty
    assert {t.limits.max_bytes for t in sides.look().tasks.values()} == {3_000_000}


def test_a_topic_is_deleted_once_it_is_sure_that_it_is_gone(sides: Sides) -> None:
    create_topics(sides.source, [NewTopic("t", 1, 1), NewTopic("u", 1, 1)])
    create_topics(sides.target, [NewTopic("a.mine", 1, 1)])
    sides.follow()
    delete_topics(sides.source, ["t"])
    wait_for(lambda: not partitions(sides.source, "t"), what="the topic is gone")
    sides.follow(1_000)
    assert partitions(sides.target, "a.t") == 1
    assert [d.topic for d in sides.look(61_000).plan.drops] == ["a.t"]
    outlook = sides.follow(61_001)
    assert not partitions(sides.target, "a.t")
    assert partitions(sides.target, "a.u") == partitions(sides.target, "a.mine") == 1
    assert "a.t" not in outlook.control.topics


def test_a_cluster_is_not_mirrored_to_itself(make_broker: Callable[..., BrokerProcess]) -> None:
    broker = make_broker("a").start()
    config = ClientConfig.of({"bootstrap.servers": broker.bootstrap})
    syncer = Syncer(replace(LINK, source="x"), config, config)
    with pytest.raises(Exception, match="are the same cluster"):
        syncer.look(0, deep=False)
    syncer.close()
