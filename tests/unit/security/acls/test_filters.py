"""Which rules a filter means."""

from __future__ import annotations

import pytest

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

TOPIC = ResourceType.TOPIC
ENTRY = AclEntry("User:ann", "10.0.0.1", Operation.READ, Permission.ALLOW)
LITERAL = ResourcePattern(TOPIC, "orders")
ALL = ResourcePattern(TOPIC, "*")
PREFIX = ResourcePattern(TOPIC, "ord", PatternType.PREFIXED)


def means(pattern: PatternType, name: str | None) -> list[ResourcePattern]:
    wanted = AclFilter(TOPIC, name, pattern)
    return [each for each in (LITERAL, ALL, PREFIX) if wanted.means(each)]


@pytest.mark.parametrize(
    ("pattern", "name", "found"),
    [
        (PatternType.ANY, None, [LITERAL, ALL, PREFIX]),
        (PatternType.MATCH, None, [LITERAL, ALL, PREFIX]),
        (PatternType.LITERAL, None, [LITERAL, ALL]),
        (PatternType.PREFIXED, None, [PREFIX]),
        (PatternType.ANY, "ord", [PREFIX]),
        (PatternType.LITERAL, "orders", [LITERAL]),
        (PatternType.LITERAL, "ord", []),
        (PatternType.MATCH, "orders", [LITERAL, ALL, PREFIX]),
        (PatternType.MATCH, "order", [ALL, PREFIX]),
        (PatternType.MATCH, "or", [ALL]),
        (PatternType.PREFIXED, "orders", []),
    ],
)
def test_names_are_compared_as_the_pattern_type_says(
    pattern: PatternType, name: str | None, found: list[ResourcePattern]
) -> None:
    assert means(pattern, name) == found


def test_another_type_is_never_meant() -> None:
    assert not AclFilter(ResourceType.GROUP).means(LITERAL)
    assert AclFilter().means(LITERAL)


@pytest.mark.parametrize(
    "other",
    [
        AclFilter(principal="User:bob"),
        AclFilter(host="*"),
        AclFilter(operation=Operation.ALL),
        AclFilter(permission=Permission.DENY),
    ],
)
def test_each_part_must_be_the_same(other: AclFilter) -> None:
    same = AclFilter(
        principal=ENTRY.principal,
        host=ENTRY.host,
        operation=ENTRY.operation,
        permission=ENTRY.permission,
    )
    rule = AclBinding(LITERAL, ENTRY)
    assert same.matches(rule)
    assert not other.matches(rule)


def test_a_filter_for_one_resource_says_which() -> None:
    assert AclFilter(TOPIC, "orders", PatternType.LITERAL).only == LITERAL
    for several in (
        AclFilter(TOPIC, "orders"),
        AclFilter(TOPIC, "orders", PatternType.MATCH),
        AclFilter(TOPIC, None, PatternType.LITERAL),
        AclFilter(ResourceType.ANY, "orders", PatternType.LITERAL),
    ):
        assert several.only is None
