"""Rules turn Kerberos principals into users, as Apache Kafka's do."""

from __future__ import annotations

import pytest

from pykafka_ops.errors import SettingError
from pykafka_ops.security.kerberos_names import NoUserError, ShortNames
from tests.support.each import each
from tests.support.golden.kerberos import REALM, short_names

AT_START = {"!IllegalArgumentException", "!PatternSyntaxException", "!NumberFormatException"}


def outcome(rules: list[str], name: str) -> str:
    try:
        return f"={ShortNames(rules, REALM).user(name)}"
    except SettingError:
        return "!SettingError"
    except NoUserError:
        return "!NoUserError"


@each("rules,name,expected", short_names())
def test_every_rule_gives_the_user_that_kafka_gives(
    rules: list[str], name: str, expected: str
) -> None:
    # What is wrong with a replacement Kafka finds with the first name that fits, we at once.
    allowed = {expected}
    if rules[0] in ("RULE:[1:$1]s/a/$1/", "RULE:[1:$1]s/a/$9/"):
        allowed = {"!SettingError"}
    elif expected in AT_START:  # malformed names too
        allowed = {"!SettingError", "!NoUserError"}
    elif expected.startswith("!"):
        allowed = {"!NoUserError"}
    assert outcome(rules, name) in allowed


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("garbage", "Invalid rule: garbage"),
        ("RULE:[1:$1]s/a", "unmatched substring: `s/a`"),
        ("RULE:[:$1]", "no number of components"),
        ("RULE:[1:$1]s/(/x/", "cannot use the pattern"),
        (r"RULE:[1:$1](\p{Alpha}+)", "cannot use the pattern"),
    ],
)
def test_a_rule_that_cannot_be_read_is_refused_at_once(rule: str, words: str) -> None:
    with pytest.raises(SettingError) as caught:
        ShortNames([rule], REALM)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
