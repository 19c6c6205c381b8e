"""Who may do something, by all rules together."""

from pykafka_ops.security.acls.audience import audience
from pykafka_ops.security.acls.decision import AclBook
from pykafka_ops.security.acls.rules import (
    AclBinding,
    AclEntry,
    Operation,
    Permission,
    ResourcePattern,
    ResourceType,
)


def said(*rules: tuple[str, str, str]) -> list[tuple[str, str, bool]]:
    """Who may read the topic t by rules (+ or -, principal, host) about it."""
    about = ResourcePattern(ResourceType.TOPIC, "t")
    book = AclBook(
        AclBinding(
            about,
            AclEntry(who, host, Operation.READ, Permission.ALLOW if s == "+" else Permission.DENY),
        )
        for s, who, host in rules
    )
    found = audience(book, Operation.READ, ResourceType.TOPIC, "t")
    return [(one.principal, one.host, one.decision.allowed) for one in found]


def test_nobody_is_named_where_nobody_may() -> None:
    assert said() == []
    assert said(("-", "User:a", "*")) == []


def test_each_who_may_is_named_with_the_hosts_where_that_is_not_so() -> None:
    assert said(("+", "User:a", "*"), ("-", "User:a", "h1"), ("+", "User:b", "h2")) == [
        ("User:a", "*", True),
        ("User:a", "h1", False),
        ("User:b", "*", False),
        ("User:b", "h2", True),
    ]


def test_who_is_denied_is_named_where_all_others_may() -> None:
    assert said(("+", "User:*", "*"), ("-", "User:a", "*")) == [
        ("User:*", "*", True),
        ("User:a", "*", False),
    ]


def test_a_host_denied_to_all_is_denied_to_each() -> None:
    assert said(("+", "User:a", "*"), ("-", "User:*", "h1")) == [
        ("User:a", "*", True),
        ("User:a", "h1", False),
    ]
