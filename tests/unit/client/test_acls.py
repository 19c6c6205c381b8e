"""Access rules as fake brokers tell them."""

from collections.abc import Callable

import pytest

from pykafka_ops.client.acls import create_acls, delete_acls, describe_acls, exactly
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.connection import UnsupportedVersionError
from pykafka_ops.errors import KafkaError
from pykafka_ops.security.acls.filters import AclFilter
from pykafka_ops.security.acls.rules import (
    AclBinding,
    AclEntry,
    Operation,
    PatternType,
    Permission,
    ResourcePattern,
    ResourceType,
)
from pykafka_ops.wire.messages.create_acls import CreateAclsResponse
from pykafka_ops.wire.messages.describe_acls import (
    AclDescription,
    DescribeAclsResource,
    DescribeAclsResponse,
)
from tests.support.memory.fake_authorizer import FakeAuthorizer
from tests.support.memory.fake_broker import FakeBroker

Fakes = tuple[FakeBroker, FakeBroker]
Connect = Callable[..., Cluster]
READ = AclEntry("User:alice", "*", Operation.READ, Permission.ALLOW)
LITERAL = AclBinding(ResourcePattern(ResourceType.TOPIC, "t"), READ)
PREFIXED = AclBinding(ResourcePattern(ResourceType.TOPIC, "t", PatternType.PREFIXED), READ)


def test_rules_go_there_and_come_back(fakes: Fakes, connect: Connect) -> None:
    authorizer = FakeAuthorizer(fakes)
    cluster = connect(fakes[0].bootstrap)
    assert create_acls(cluster, [LITERAL, PREFIXED]) == [None, None]
    assert authorizer.rules == {LITERAL, PREFIXED}
    assert describe_acls(cluster) == [LITERAL, PREFIXED]
    (done,) = delete_acls(cluster, [exactly(PREFIXED)])
    assert done == ([PREFIXED], [], None)
    assert describe_acls(cluster, AclFilter(ResourceType.TOPIC, "t")) == [LITERAL]


def test_an_old_broker_is_never_told_a_prefix_as_a_name(fakes: Fakes, connect: Connect) -> None:
    authorizer = FakeAuthorizer(fakes)
    for fake in fakes:
        fake.ranges |= {29: (0, 0), 30: (0, 0), 31: (0, 0)}
    cluster = connect(fakes[0].bootstrap)
    create_acls(cluster, [LITERAL])
    with pytest.raises(UnsupportedVersionError):
        create_acls(cluster, [PREFIXED])
    with pytest.raises(UnsupportedVersionError):
        delete_acls(cluster, [exactly(PREFIXED)])
    assert authorizer.rules == {LITERAL}


def test_what_a_newer_broker_has_added_is_unknown(fakes: Fakes, connect: Connect) -> None:
    acl = AclDescription(principal="User:a", host="*", operation=99, permission_type=3)
    resource = DescribeAclsResource(resource_type=77, resource_name="x", pattern_type=3, acls=[acl])
    for fake in fakes:
        fake.on("DescribeAcls", lambda _: DescribeAclsResponse(resources=[resource]))
    (rule,) = describe_acls(connect(fakes[0].bootstrap))
    assert (rule.resource.type, rule.entry.operation) == (
        ResourceType.UNKNOWN, Operation.UNKNOWN,
    )  # fmt: skip


def test_an_answer_that_leaves_rules_out_is_no_success(fakes: Fakes, connect: Connect) -> None:
    for fake in fakes:
        fake.on("CreateAcls", lambda _: CreateAclsResponse(results=[]))
    with pytest.raises(KafkaError, match="answers 0 of 1 parts"):
        create_acls(connect(fakes[0].bootstrap), [LITERAL])
