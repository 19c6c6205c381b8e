"""Access rules on our broker and on Apache Kafka: the same are taken, and they decide the same.

Clients are told apart by their addresses: all are ANONYMOUS, and rules name hosts.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, Final

import pytest

from pykafka_ops.security.acls.rules import (
    ANYBODY,
    Operation,
    PatternType,
    Permission,
    ResourceType,
)
from pykafka_ops.wire.messages.create_acls import AclCreation, CreateAclsRequest
from pykafka_ops.wire.messages.delete_acls import DeleteAclsFilter, DeleteAclsRequest
from pykafka_ops.wire.messages.describe_acls import DescribeAclsRequest
from pykafka_ops.wire.messages.describe_groups import DescribeGroupsRequest
from pykafka_ops.wire.messages.find_coordinator import FindCoordinatorRequest
from pykafka_ops.wire.messages.metadata import MetadataRequest, MetadataRequestTopic
from tests.support.differential.rights import SETTINGS
from tests.support.differential.two_brokers import CLOSED, Link
from tests.support.process.apache import apache_alone
from tests.support.process.broker import BrokerProcess
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow]

TOPIC, GROUP = ResourceType.TOPIC, ResourceType.GROUP
HOSTS: Final = ("127.0.0.5", "127.0.0.6", "127.0.0.7")
NAMES: Final = ("a", "ab", "abc", "b", "ba", "orders", "orders-eu", "*")
ROUNDS: Final = 60
RULES: Final = 12
EVERYTHING: Final = DeleteAclsFilter(
    resource_type_filter=ResourceType.ANY,
    resource_name_filter=None,
    pattern_type_filter=PatternType.ANY,
    principal_filter=None,
    host_filter=None,
    operation=Operation.ANY,
    permission_type=Permission.ANY,
)


class Pair:
    """The two brokers, asked the same."""

    def __init__(self, *bootstraps: str) -> None:
        self.bootstraps = bootstraps
        self._links = {host: [Link(b, source=host) for b in bootstraps] for host in ("", *HOSTS)}

    def ask(self, request: Any, version: int, host: str = "") -> list[Any]:
        return [link.ask(request, version) for link in self._links[host]]

    def close(self) -> None:
        for links in self._links.values():
            for link in links:
                link.close()


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    directory = tmp_path_factory.mktemp("rules")
    ours = BrokerProcess(directory / "pko", SETTINGS)
    try:
        ours.start()
        with apache_alone(directory, "apache", SETTINGS) as theirs:
            made = Pair(ours.bootstrap, theirs.bootstrap)
            yield made
            made.close()
    finally:
        ours.close()


@pytest.fixture
def clean(pair: Pair) -> Pair:
    pair.ask(DeleteAclsRequest(filters=[EVERYTHING]), 3)
    return pair


def rule(**changes: Any) -> AclCreation:
    usual = {
        "resource_type": TOPIC,
        "resource_name": "orders",
        "resource_pattern_type": PatternType.LITERAL,
        "principal": "User:ann",
        "host": "*",
        "operation": Operation.READ,
        "permission_type": Permission.ALLOW,
    }
    return AclCreation(**{**usual, **changes})


ODD_RULES: Final[dict[str, dict[str, Any]]] = {
    "usual": {},
    "no name": {"resource_name": ""},
    "a slash": {"resource_name": "a/b"},
    "any resource": {"resource_type": ResourceType.ANY},
    "unknown resource": {"resource_type": 99},
    "another cluster": {"resource_type": ResourceType.CLUSTER, "resource_name": "other"},
    "any pattern": {"resource_pattern_type": PatternType.ANY},
    "match pattern": {"resource_pattern_type": PatternType.MATCH},
    "unknown pattern": {"resource_pattern_type": 99},
    "any operation": {"operation": Operation.ANY},
    "unknown operation": {"operation": 99},
    "an operation of others": {"operation": Operation.CLUSTER_ACTION},
    "any permission": {"permission_type": Permission.ANY},
    "unknown permission": {"permission_type": 99},
    "no principal": {"principal": ""},
    "a principal without type": {"principal": "ann"},
    "a principal with colons": {"principal": "User:a:b:c"},
    "odd names": {"resource_name": "ä ;", "principal": "User:CN=x,O=ü"},
    "a line's end": {"resource_name": "a\n"},
    "a dot": {"resource_name": "."},
    "no name of a user": {"principal": "User:"},
    "no host": {"host": ""},
    "a network": {"host": "10.0.0.0/8"},
    "a host's name": {"host": "localhost"},
    "prefixed": {"resource_pattern_type": PatternType.PREFIXED},
    "prefixed wildcard": {
        "resource_pattern_type": PatternType.PREFIXED,
        "resource_name": "*",
    },
    "a user": {"resource_type": ResourceType.USER, "resource_name": "User:bob"},
    "a token": {"resource_type": ResourceType.DELEGATION_TOKEN, "resource_name": "x"},
}


def plain(answer: Any) -> Any:
    """Results as data; rules have no order."""
    if answer == CLOSED:
        return CLOSED
    if hasattr(answer, "results"):
        return [  # Kafka has no words where it trips
            (r.error_code, r.error_message if r.error_code >= 0 else None) for r in answer.results
        ]
    if hasattr(answer, "filter_results"):
        return [
            (r.error_code, sorted(str(m) for m in r.matching_acls)) for r in answer.filter_results
        ]
    return answer.error_code, sorted(
        f"{r.resource_type} {r.resource_name} {r.pattern_type} {acl}"
        for r in answer.resources
        for acl in r.acls
    )


def everything(pair: Pair) -> list[Any]:
    asked = DescribeAclsRequest(
        resource_type_filter=ResourceType.ANY,
        resource_name_filter=None,
        pattern_type_filter=PatternType.ANY,
        principal_filter=None,
        host_filter=None,
        operation=Operation.ANY,
        permission_type=Permission.ANY,
    )
    return [plain(answer) for answer in pair.ask(asked, 3)]


@pytest.mark.parametrize("name", ODD_RULES)
def test_the_same_rules_are_taken_and_shown(clean: Pair, name: str) -> None:
    request = CreateAclsRequest(creations=[rule(**ODD_RULES[name]), rule(resource_name="other")])
    ours, theirs = map(plain, clean.ask(request, 3))
    assert ours == theirs
    ours, theirs = everything(clean)
    assert ours == theirs


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"resource_type_filter": TOPIC},
        {"resource_name_filter": "orders"},
        {"resource_name_filter": "orders", "pattern_type_filter": PatternType.MATCH},
        {"resource_name_filter": "orders", "pattern_type_filter": PatternType.LITERAL},
        {"principal_filter": "User:ann"},
        {"operation": Operation.READ},
        {"operation": 99},
        {"permission_type": Permission.DENY},
        {"host_filter": "*"},
    ],
)
def test_filters_delete_the_same(clean: Pair, changes: dict[str, Any]) -> None:
    rules = [
        rule(),
        rule(resource_name="*", principal=ANYBODY, permission_type=Permission.DENY),
        rule(resource_name="ord", resource_pattern_type=PatternType.PREFIXED),
        rule(operation=Operation.ALL, host="10.0.0.1"),
        rule(resource_type=GROUP),
    ]
    clean.ask(CreateAclsRequest(creations=rules), 3)
    chosen = DeleteAclsFilter(**{**vars_of(EVERYTHING), **changes})
    twice = DeleteAclsRequest(filters=[chosen, EVERYTHING])
    ours, theirs = map(plain, clean.ask(twice, 3))
    assert ours == theirs
    assert everything(clean)[0] == (0, [])


def vars_of(message: Any) -> dict[str, Any]:
    return {name: getattr(message, name) for name in message.__slots__ if name[0] != "_"}


def random_rules(chance: random.Random) -> list[AclCreation]:
    return [
        rule(
            resource_type=chance.choice([TOPIC, GROUP]),
            resource_name=chance.choice(NAMES),
            resource_pattern_type=chance.choice([PatternType.LITERAL, PatternType.PREFIXED]),
            principal=chance.choice(["User:ANONYMOUS", ANYBODY, "User:other", "Group:ANONYMOUS"]),
            host=chance.choice(["*", *HOSTS[:2]]),
            operation=chance.choice([o for o in Operation if 2 <= o <= 12]),
            permission_type=chance.choice([Permission.ALLOW, Permission.ALLOW, Permission.DENY]),
        )
        for _ in range(chance.randint(0, RULES))
    ]


def decisions(pair: Pair, host: str) -> tuple[list[Any], list[Any]]:
    """What a client may do with each topic and group, as each broker says it."""
    names = [name for name in NAMES if name != "*"]
    topics = MetadataRequest(
        topics=[MetadataRequestTopic(name=name) for name in names],
        allow_auto_topic_creation=False,
        include_topic_authorized_operations=True,
    )
    groups = DescribeGroupsRequest(groups=names, include_authorized_operations=True)
    found: tuple[list[Any], list[Any]] = ([], [])
    for side, answer in zip(found, pair.ask(topics, 11, host), strict=True):
        side += sorted((t.name, t.error_code, t.topic_authorized_operations) for t in answer.topics)
    for side, answer in zip(found, pair.ask(groups, 5, host), strict=True):
        side += sorted((g.group_id, g.error_code, g.authorized_operations) for g in answer.groups)
    return found


def until_groups_are_coordinated(pair: Pair) -> None:
    for bootstrap in pair.bootstraps:
        link = Link(bootstrap)
        asked = FindCoordinatorRequest(key="a")
        wait_for(lambda link=link, asked=asked: not link.ask(asked, 1).error_code, what="groups")
        link.close()


def test_any_rules_decide_as_kafkas_do(clean: Pair) -> None:
    """60 sets of rules, 3 clients, 7 topics and 7 groups: more than 10,000 decisions."""
    until_groups_are_coordinated(clean)
    chance = random.Random(4)
    seen = set()
    for number in range(ROUNDS):
        rules = random_rules(chance)
        answers = clean.ask(CreateAclsRequest(creations=rules), 3)
        assert plain(answers[0]) == plain(answers[1])
        for host in HOSTS:
            ours, theirs = decisions(clean, host)
            assert ours == theirs, (number, host, rules)
            seen.update(ours)
        clean.ask(DeleteAclsRequest(filters=[EVERYTHING]), 3)
    assert len(seen) > 50, "many different decisions"
