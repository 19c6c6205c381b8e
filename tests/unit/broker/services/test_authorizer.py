"""What the authorizer allows, remembers and logs."""

from __future__ import annotations

import logging
from dataclasses import dataclass

import pytest

from pykafka_ops.broker.services import authorizer as module
from pykafka_ops.broker.services.authorizer import Authorizer
from pykafka_ops.security.acls.rules import (
    AclBinding,
    AclEntry,
    Operation,
    Permission,
    ResourcePattern,
    ResourceType,
)
from pykafka_ops.wire.apis import ApiKey

TOPIC = ResourceType.TOPIC
ORDERS = ResourcePattern(TOPIC, "orders")
READ = AclEntry("User:ann", "*", Operation.READ, Permission.ALLOW)


@dataclass
class Holder:
    principal: str = "User:ann"
    client_host: str = "10.0.0.1"
    api_key: int = ApiKey.FETCH


def test_rules_decide_and_super_users_need_none() -> None:
    made = Authorizer(["User:root"])
    made.load([AclBinding(ORDERS, READ)])
    assert made.allows(Holder(), Operation.READ, TOPIC, "orders")
    assert not made.allows(Holder("User:bob"), Operation.READ, TOPIC, "orders")
    assert made.allows(Holder("User:root"), Operation.ALTER, TOPIC, "orders")
    assert made.allows_any(Holder("User:root"), Operation.WRITE, TOPIC)
    assert not made.allows_any(Holder(), Operation.WRITE, TOPIC)


def test_a_decision_is_forgotten_when_a_rule_changes_and_who_wants_to_know_hears_of_it() -> None:
    made, heard = Authorizer(), list[str]()
    made.changed.append(lambda: heard.append("changed"))
    assert not made.allows(Holder(), Operation.READ, TOPIC, "orders")
    made.replace(ORDERS, [READ])
    assert made.allows(Holder(), Operation.READ, TOPIC, "orders")
    made.replace(ORDERS, [READ])
    assert heard == ["changed"], "the same rules are no change"
    made.replace(ORDERS, [])
    assert not made.allows(Holder(), Operation.READ, TOPIC, "orders")


def test_decisions_take_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_DECISIONS", 10)
    made = Authorizer(without_rules=True)
    for n in range(25):
        assert made.allows(Holder(), Operation.READ, TOPIC, f"t{n}")
    assert made.allows(Holder(), Operation.READ, TOPIC, "x" * 30_000)
    assert len(made._decisions) <= 10
    assert all(len(key[-1]) < 1000 for key in made._decisions)


LINE = (
    "Principal = User:ann is {} Operation = {} from host = 10.0.0.1 on resource ="
    " Topic:LITERAL:orders for request = {} with resourceRefCount = 1"
)


@pytest.mark.parametrize(
    ("operation", "allowed", "level"),
    [
        (Operation.READ, True, logging.DEBUG),
        (Operation.READ, False, logging.INFO),
        (Operation.DELETE, True, logging.INFO),
        (Operation.DELETE, False, logging.INFO),
    ],
)
def test_denials_and_granted_admin_work_are_logged_as_kafka_words_it(
    caplog: pytest.LogCaptureFixture, operation: Operation, allowed: bool, level: int
) -> None:
    made = Authorizer(without_rules=allowed)
    with caplog.at_level(logging.DEBUG, "kafka.authorizer.logger"):
        made.allows(Holder(), operation, TOPIC, "orders")
        made.allows(Holder(), operation, TOPIC, "orders", quiet=True)
    (record,) = caplog.records
    assert record.levelno == level
    said = "Allowed" if allowed else "Denied"
    assert record.getMessage() == LINE.format(said, operation.label, "Fetch")


def test_what_is_allowed_is_known_until_a_rule_changes_and_the_rest_is_asked_for(
    caplog: pytest.LogCaptureFixture,
) -> None:
    made = Authorizer()
    made.load([AclBinding(ORDERS, READ)])
    caplog.set_level(logging.INFO, "kafka.authorizer.logger")
    known = made.known(Holder(), Operation.READ, TOPIC)
    assert known["orders"]
    assert not known["bills"]
    assert not known["bills"]
    assert list(known) == ["orders"]
    assert len(caplog.records) == 2, "each refusal"
    assert made.known(Holder(), Operation.READ, TOPIC) is known
    assert not made.known(Holder("User:bob"), Operation.READ, TOPIC)["orders"]
    made.replace(ORDERS, [])
    assert not known["orders"], "a request that is under way has it in hand"


def test_where_all_is_logged_nothing_is_known(caplog: pytest.LogCaptureFixture) -> None:
    made, heard = Authorizer(without_rules=True), list[str]()
    assert made.readable(Holder())("orders")
    made.changed.append(lambda: heard.append("changed"))
    caplog.set_level(logging.DEBUG, "kafka.authorizer.logger")
    made.ask_again()
    assert heard == ["changed"]
    for count in (1, 2):
        assert made.readable(Holder())("orders")
        assert len(caplog.records) == count


def test_what_is_known_takes_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_DECISIONS", 10)
    made = Authorizer(without_rules=True)
    for n in range(25):
        known = made.known(Holder(f"User:{n}"), Operation.READ, TOPIC)
        assert known["a"]
        assert known["x" * 300]
        assert list(known) == ["a"]
        assert len(made._known) + sum(map(len, made._known.values())) <= 10
