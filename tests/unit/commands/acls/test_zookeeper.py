"""Rules in znodes, on a tree in memory that others change, too."""

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import pytest
from kazoo.exceptions import BadVersionError, NodeExistsError, NoNodeError

from pykafka_ops.commands.acls.zookeeper import TRIES, ZnodeRules
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

ORDERS = ResourcePattern(ResourceType.TOPIC, "orders")
PREFIX = ResourcePattern(ResourceType.TOPIC, "ord", PatternType.PREFIXED)
READ = AclEntry("User:alice", "*", Operation.READ, Permission.ALLOW)
WRITE = AclEntry("User:alice", "*", Operation.WRITE, Permission.ALLOW)


class ZnodeVersion(NamedTuple):
    version: int
    czxid: int = 0
    mzxid: int = 0
    pzxid: int = 0
    ctime: int = 0
    mtime: int = 0
    cversion: int = 0
    aversion: int = 0
    ephemeralOwner: int = 0  # noqa: N815 - kazoo's name
    dataLength: int = 0  # noqa: N815
    numChildren: int = 0  # noqa: N815


class Later:
    """An answer that was asked for before."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self.get = lambda timeout: call()


class ChangingTree:
    """The calls of a client that are used; ``meanwhile`` is called before each write."""

    def __init__(self) -> None:
        self.nodes: dict[str, tuple[bytes, int]] = {}
        self.meanwhile: Callable[[], None] = lambda: None
        self.made = 0

    def get(self, path: str) -> tuple[bytes, ZnodeVersion]:
        if path not in self.nodes:
            raise NoNodeError
        data, version = self.nodes[path]
        return data, ZnodeVersion(version)

    def exists(self, path: str) -> ZnodeVersion | None:
        return ZnodeVersion(self.nodes[path][1]) if path in self.nodes else None

    def get_async(self, path: str) -> Later:
        return Later(lambda: self.get(path))

    def get_children_async(self, path: str) -> Later:
        def children() -> list[str]:
            below = {p.removeprefix(f"{path}/") for p in self.nodes if p.startswith(f"{path}/")}
            if not below and path not in self.nodes:
                raise NoNodeError
            return [name for name in below if "/" not in name]

        return Later(children)

    def create(self, path: str, data: bytes | None, *, sequence: bool = False, **_: Any) -> str:
        if not sequence and data is not None:
            self.meanwhile()
        self.made += 1
        whole = f"{path}{self.made:010d}" if sequence else path
        if whole in self.nodes:
            raise NodeExistsError
        self.nodes[whole] = data or b"", 0
        return whole

    def set(self, path: str, data: bytes, version: int) -> None:
        self.meanwhile()
        if self.nodes[path][1] != version:
            raise BadVersionError
        self.nodes[path] = data, version + 1

    def delete(self, path: str, version: int) -> None:
        self.meanwhile()
        if self.nodes[path][1] != version:
            raise BadVersionError
        del self.nodes[path]

    @property
    def changes(self) -> list[bytes]:
        """What brokers are told to read again, in order."""
        said = sorted((p[-10:], p) for p in self.nodes if "acl_changes_" in p)
        return [self.nodes[path][0] for _, path in said]


@pytest.fixture
def tree() -> ChangingTree:
    return ChangingTree()


@pytest.fixture
def rules(tree: ChangingTree) -> ZnodeRules:
    return ZnodeRules(cast("Any", tree), secure=False)


def test_rules_are_stored_as_kafka_stores_them(rules: ZnodeRules, tree: ChangingTree) -> None:
    assert rules.create([AclBinding(ORDERS, READ), AclBinding(PREFIX, WRITE)]) == [None, None]
    assert tree.nodes["/kafka-acl/Topic/orders"][0] == (
        b'{"acls":[{"principal":"User:alice","permissionType":"Allow","host":"*",'
        b'"operation":"Read"}],"version":1}'
    )
    assert "/kafka-acl-extended/prefixed/Topic/ord" in tree.nodes
    assert tree.changes == [
        b"TOPIC:orders",
        b'{"version":1,"resourceType":"TOPIC","name":"ord","patternType":"PREFIXED"}',
    ]
    assert rules.describe(AclFilter()) == [AclBinding(PREFIX, WRITE), AclBinding(ORDERS, READ)]


def test_what_is_there_already_is_no_change(rules: ZnodeRules, tree: ChangingTree) -> None:
    rules.create([AclBinding(ORDERS, READ)])
    rules.create([AclBinding(ORDERS, READ)])
    assert len(tree.changes) == 1


def test_the_last_rule_takes_the_znode_with_it(rules: ZnodeRules, tree: ChangingTree) -> None:
    rules.create([AclBinding(ORDERS, READ), AclBinding(ORDERS, WRITE)])
    (done,) = rules.delete([AclFilter(*ORDERS, operation=Operation.READ)])
    assert done.rules == [AclBinding(ORDERS, READ)]
    assert "/kafka-acl/Topic/orders" in tree.nodes
    rules.delete([AclFilter(ResourceType.TOPIC, "orders", PatternType.MATCH)])
    assert "/kafka-acl/Topic/orders" not in tree.nodes
    assert len(tree.changes) == 3


def test_what_others_write_meanwhile_is_kept(rules: ZnodeRules, tree: ChangingTree) -> None:
    others = ZnodeRules(cast("Any", tree), secure=False)

    def once() -> None:
        tree.meanwhile = lambda: None
        others.create([AclBinding(ORDERS, READ)])

    tree.meanwhile = once
    assert rules.create([AclBinding(ORDERS, WRITE)]) == [None]
    assert rules.describe(AclFilter(*ORDERS)) == [
        AclBinding(ORDERS, READ), AclBinding(ORDERS, WRITE),
    ]  # fmt: skip


def test_a_znode_that_changes_all_the_time_is_given_up(
    rules: ZnodeRules, tree: ChangingTree
) -> None:
    rules.create([AclBinding(ORDERS, READ)])
    path, tries = "/kafka-acl/Topic/orders", 0

    def changed() -> None:
        nonlocal tries
        tries += 1
        data, version = tree.nodes[path]
        tree.nodes[path] = data, version + 1

    tree.meanwhile = changed
    (error,) = rules.create([AclBinding(ORDERS, WRITE)])
    assert error is not None
    assert str(error) == f"{path} was changed by others {TRIES} times"
    assert tries == TRIES


@pytest.mark.parametrize("name", ["a/b", "", ".", ".."])
def test_a_name_that_no_znode_can_have_is_refused(
    rules: ZnodeRules, tree: ChangingTree, name: str
) -> None:
    rule = AclBinding(ResourcePattern(ResourceType.GROUP, name), READ)
    (error,) = rules.create([rule])
    assert error is not None
    assert str(error) == "Failed to create ACL"
    assert not tree.nodes
    assert rules.delete([AclFilter(*rule.resource)])[0].rules == []
