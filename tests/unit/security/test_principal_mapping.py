"""Rules turn names in certificates into users, as Apache Kafka's do."""

from __future__ import annotations

import pytest

from pykafka_ops.errors import SettingError
from pykafka_ops.security.principal_mapping import PrincipalMapping
from tests.support.each import each
from tests.support.golden.certificates import mapping


def outcome(rules: str, name: str) -> str:
    try:
        user = PrincipalMapping(rules).user(name)
    except SettingError:
        return "!SettingError"
    return "!NoMatchingRule" if user is None else f"={user}"


@each("rules,name,expected", mapping())
def test_every_rule_gives_the_user_that_kafka_gives(rules: str, name: str, expected: str) -> None:
    # What is wrong with a replacement Kafka finds with the first name that fits, we at once.
    allowed = {expected} if expected.startswith("=") else {expected, "!SettingError"}
    if expected.startswith("!") and expected != "!NoMatchingRule":
        allowed = {"!SettingError"}
    assert outcome(rules, name) in allowed


@pytest.mark.parametrize(
    "rules",
    [
        r"RULE:^CN=(\p{Alpha}+)$/$1/",
        "RULE:^CN=([a-z&&[^b]]+)$/$1/",
        "RULE:(/x/",
        "RULE:CN=(.*)/$x/",
        "RULE:CN=.*/$1/",
        "RULE:CN=(.*)/a$/",
        "garbage",
        "RULE:CN=(.*)",
    ],
)
def test_a_rule_that_would_be_read_in_another_way_is_refused(rules: str) -> None:
    with pytest.raises(SettingError, match=r"^ssl\.principal\.mapping\.rules: "):
        PrincipalMapping(rules)


def test_a_name_without_a_rule_has_no_user() -> None:
    assert PrincipalMapping("RULE:^CN=(\\w+)$/$1/").user("O=else") is None
