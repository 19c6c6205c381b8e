"""What rules decide, compared with Kafka's own words for it, rule by rule and at random."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pykafka_ops.security.acls.decision import AclBook
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
LITERAL, PREFIXED = PatternType.LITERAL, PatternType.PREFIXED
ALLOW, DENY = Permission.ALLOW, Permission.DENY


def rule(
    name: str,
    operation: Operation,
    permission: Permission = ALLOW,
    *,
    principal: str = "User:ann",
    host: str = "*",
    pattern: PatternType = LITERAL,
) -> AclBinding:
    return AclBinding(
        ResourcePattern(TOPIC, name, pattern), AclEntry(principal, host, operation, permission)
    )


def allowed(
    book: AclBook, operation: Operation, name: str = "orders", who: str = "User:ann"
) -> bool:
    return book.decide(who, "10.0.0.1", operation, TOPIC, name).allowed


def test_without_any_rule_the_setting_decides() -> None:
    book = AclBook([rule("other", Operation.READ)])
    assert not allowed(book, Operation.READ)
    decision = book.decide("User:ann", "h", Operation.READ, TOPIC, "orders", without_rules=True)
    assert decision.allowed
    assert not decision.ruled


def test_a_rule_about_somebody_else_closes_the_resource() -> None:
    book = AclBook([rule("orders", Operation.READ, principal="User:bob")])
    decision = book.decide("User:ann", "h", Operation.READ, TOPIC, "orders", without_rules=True)
    assert not decision.allowed
    assert decision.ruled
    assert decision.rule is None


@pytest.mark.parametrize("name", ["orders", "*"])
def test_names_are_meant_literally_or_mean_all(name: str) -> None:
    assert allowed(AclBook([rule(name, Operation.READ)]), Operation.READ)


@pytest.mark.parametrize(
    ("prefix", "counts"), [("ord", True), ("orders", True), ("orders-", False)]
)
def test_a_prefix_covers_what_begins_so(prefix: str, counts: bool) -> None:
    assert (
        allowed(AclBook([rule(prefix, Operation.READ, pattern=PREFIXED)]), Operation.READ) == counts
    )


def test_a_denial_wins_over_every_permission_and_is_named() -> None:
    denial = rule("ord", Operation.ALL, DENY, pattern=PREFIXED, principal="User:*")
    book = AclBook([rule("orders", Operation.READ), denial])
    decision = book.decide("User:ann", "h", Operation.READ, TOPIC, "orders")
    assert decision == (False, denial, True)


@pytest.mark.parametrize(
    "stronger", [Operation.READ, Operation.WRITE, Operation.DELETE, Operation.ALTER, Operation.ALL]
)
def test_describe_follows_from_what_implies_it(stronger: Operation) -> None:
    assert allowed(AclBook([rule("orders", stronger)]), Operation.DESCRIBE)
    both = AclBook([rule("orders", stronger, DENY), rule("orders", Operation.DESCRIBE)])
    assert allowed(both, Operation.DESCRIBE) == (stronger != Operation.ALL)


def test_describe_configs_follows_from_alter_configs_alone() -> None:
    assert allowed(AclBook([rule("orders", Operation.ALTER_CONFIGS)]), Operation.DESCRIBE_CONFIGS)
    assert not allowed(AclBook([rule("orders", Operation.ALTER)]), Operation.DESCRIBE_CONFIGS)


def test_hosts_are_compared_as_text() -> None:
    book = AclBook([rule("orders", Operation.READ, host="10.0.0.1")])
    assert book.decide("User:ann", "10.0.0.1", Operation.READ, TOPIC, "orders").allowed
    assert not book.decide("User:ann", "10.0.0.10", Operation.READ, TOPIC, "orders").allowed


def test_rules_of_another_type_of_resource_do_not_count() -> None:
    other = ResourcePattern(ResourceType.GROUP, "orders")
    book = AclBook([AclBinding(other, AclEntry("User:ann", "*", Operation.READ, ALLOW))])
    assert not allowed(book, Operation.READ)


def test_a_prefix_counts_no_more_once_its_rules_are_gone() -> None:
    book = AclBook([rule("ord", Operation.READ, pattern=PREFIXED)])
    prefix = ResourcePattern(TOPIC, "ord", PREFIXED)
    assert not book.replace(prefix, book.entries(prefix))
    assert book.replace(prefix, ())
    assert not book.replace(prefix, ())
    assert not allowed(book, Operation.READ)
    assert not list(book)


names = st.sampled_from(["*", "a", "ab", "abc", "b"])
principals = st.sampled_from(["User:ann", "User:bob", "User:*"])
hosts = st.sampled_from(["*", "10.0.0.1"])
operations = st.sampled_from(
    [Operation.ALL, Operation.READ, Operation.WRITE, Operation.DESCRIBE, Operation.ALTER_CONFIGS,
     Operation.DESCRIBE_CONFIGS]
)  # fmt: skip
bindings = st.builds(
    AclBinding,
    st.builds(ResourcePattern, st.just(TOPIC), names, st.sampled_from([LITERAL, PREFIXED])),
    st.builds(AclEntry, principals, hosts, operations, st.sampled_from([ALLOW, DENY])),
)


def plainly(
    rules: list[AclBinding], who: str, host: str, operation: Operation, name: str, *, empty: bool
) -> bool:
    """As the documentation of Kafka says it, without an index."""
    about = [
        r.entry
        for r in rules
        if (
            name.startswith(r.resource.name)
            if r.resource.pattern == PREFIXED
            else r.resource.name in (name, "*")
        )
    ]
    if not about:
        return empty

    def is_there(permission: Permission, wanted: Operation) -> bool:
        return any(
            e.permission == permission
            and e.principal in (who, "User:*")
            and e.host in (host, "*")
            and e.operation in (wanted, Operation.ALL)
            for e in about
        )

    implied = {
        Operation.DESCRIBE: [Operation.DESCRIBE, Operation.READ, Operation.WRITE,
                             Operation.DELETE, Operation.ALTER],
        Operation.DESCRIBE_CONFIGS: [Operation.DESCRIBE_CONFIGS, Operation.ALTER_CONFIGS],
    }.get(operation, [operation])  # fmt: skip
    return not is_there(DENY, operation) and any(is_there(ALLOW, one) for one in implied)


@settings(max_examples=100)
@given(st.lists(bindings, max_size=8), st.booleans())
def test_any_rules_decide_as_kafka_says(rules: list[AclBinding], empty: bool) -> None:
    book = AclBook(rules)
    for who, host, operation, name in product(
        ["User:ann", "User:bob"],
        ["10.0.0.1", "10.0.0.2"],
        [Operation.READ, Operation.DESCRIBE, Operation.DESCRIBE_CONFIGS],
        ["a", "abc", "b", "c", "*"],
    ):
        decision = book.decide(who, host, operation, TOPIC, name, without_rules=empty)
        assert decision.allowed == plainly(rules, who, host, operation, name, empty=empty)


def may_write_some(*rules: AclBinding, empty: bool = False) -> bool:
    return AclBook(rules).decide_any(
        "User:ann", "10.0.0.1", Operation.WRITE, TOPIC, without_rules=empty
    )


W = Operation.WRITE


def test_some_resource_is_enough_unless_all_are_denied() -> None:
    assert may_write_some(rule("orders", W))
    assert may_write_some(rule("ord", Operation.ALL, pattern=PREFIXED))
    assert not may_write_some()
    assert may_write_some(empty=True)
    assert not may_write_some(rule("orders", W), rule("*", W, DENY))
    assert not may_write_some(rule("*", W, DENY), empty=True)


def test_what_is_denied_in_the_same_breath_does_not_count() -> None:
    assert not may_write_some(rule("orders", W), rule("orders", W, DENY))
    assert not may_write_some(rule("orders", W), rule("ord", W, DENY, pattern=PREFIXED))
    assert may_write_some(rule("orders", W), rule("order", W, DENY))
    assert may_write_some(
        rule("ord", W, pattern=PREFIXED), rule("orders", W, DENY, pattern=PREFIXED)
    )
    assert not may_write_some(
        rule("orders", W, pattern=PREFIXED), rule("ord", W, DENY, pattern=PREFIXED)
    )
    assert may_write_some(rule("*", W), rule("ord", W, DENY, pattern=PREFIXED))
    assert not may_write_some(rule("orders", Operation.ALTER))
