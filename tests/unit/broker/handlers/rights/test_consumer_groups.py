"""Rights of members of consumer groups, and of those who look at them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from pykafka_ops.broker.handlers import WITH_CONSUMER_GROUPS, rights
from pykafka_ops.broker.services.authorizer import Authorizer
from pykafka_ops.broker.state.names import GROUP_METADATA_TOPIC
from pykafka_ops.errors import KafkaError
from pykafka_ops.security.acls.rules import (
    AclBinding,
    AclEntry,
    Operation,
    Permission,
    ResourcePattern,
    ResourceType,
)
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from pykafka_ops.wire.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from tests.support.memory.asking import api_of, driven
from tests.support.memory.handler_site import Site

NO_GROUP, NO_TOPIC = ErrorCode.GROUP_AUTHORIZATION_FAILED, ErrorCode.TOPIC_AUTHORIZATION_FAILED
GROUP, TOPIC = ResourceType.GROUP, ResourceType.TOPIC


class Door:
    """Both requests, with the rights that a test gives to everybody."""

    def __init__(self) -> None:
        self.site = Site(
            offsets_topic_num_partitions=1,
            group_coordinator_rebalance_protocols="classic,consumer",
        )
        self.site.topic("t", 3)
        self.site.topic("u", 1)
        self.site.coordinators.led(self.site.topic(GROUP_METADATA_TOPIC, 1)[0])
        self.site.coordinators.load()
        self.authorizer = Authorizer()
        self.site.services.acls = cast(Any, SimpleNamespace(authorizer=self.authorizer))

    def allow(self, *rules: tuple[Operation, ResourceType, str]) -> None:
        """These rights, and no others."""
        self.authorizer.load(
            [
                AclBinding(
                    ResourcePattern(type_, name), AclEntry("User:*", "*", op, Permission.ALLOW)
                )
                for op, type_, name in rules
            ]
        )

    def ask(self, request: Any) -> Any:
        api = api_of(request)
        context = self.site.context(1)
        context.api_key = api
        handle = rights.guarded(api, WITH_CONSUMER_GROUPS[api].load())
        return driven(handle(context, request))

    def join(self, names: list[str] | None = None, regex: str | None = None) -> Any:
        return self.ask(
            ConsumerGroupHeartbeatRequest(
                group_id="g",
                member_id="m",
                rebalance_timeout_ms=1000,
                subscribed_topic_names=names,
                subscribed_topic_regex=regex,
                topic_partitions=[],
            )
        )


@pytest.fixture
def door() -> Door:
    return Door()


READ, DESCRIBE = Operation.READ, Operation.DESCRIBE


def test_members_read_the_group_and_describe_their_topics(door: Door) -> None:
    door.allow((READ, TOPIC, "t"))
    with pytest.raises(KafkaError) as group:
        door.join(["t"])
    assert group.value.code == NO_GROUP
    door.allow((READ, GROUP, "g"), (DESCRIBE, TOPIC, "t"))
    with pytest.raises(KafkaError) as topic:
        door.join(["t", "u"])
    assert topic.value.code == NO_TOPIC
    assert door.join(["t"]).error_code == ErrorCode.NONE


def test_an_expression_finds_what_the_member_may_describe(door: Door) -> None:
    door.allow((READ, GROUP, "g"), (DESCRIBE, TOPIC, "t"))
    assert door.join(regex=".*").error_code == ErrorCode.NONE
    door.site.pass_time(10)
    door.site.coordinators.tick()
    group = door.site.services.groups.consumer_group("g")
    assert group is not None
    assert group.resolved[".*"].topics == {"t"}


def test_who_describes_a_group_may_describe_its_topics(door: Door) -> None:
    door.allow((READ, GROUP, "g"), (DESCRIBE, TOPIC, "t"))
    door.join(["t"])
    asked = ConsumerGroupDescribeRequest(group_ids=["g", "h"])
    known, hidden = door.ask(asked).groups
    assert (known.error_code, hidden.error_code) == (ErrorCode.NONE, NO_GROUP)
    door.allow((READ, GROUP, "g"))
    assert [group.error_code for group in door.ask(asked).groups] == [NO_TOPIC, NO_GROUP]
