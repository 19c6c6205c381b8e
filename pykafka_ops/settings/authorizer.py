"""Settings of Kafka's ``AclAuthorizer``: they are its own, no rows of a broker's settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pykafka_ops.errors import SettingError

CLASS: Final = "authorizer.class.name"
ACL_AUTHORIZER: Final = "kafka.security.authorizer.AclAuthorizer"
SUPER_USERS: Final = "super.users"
WITHOUT_RULES: Final = "allow.everyone.if.no.acl.found"
OWN: Final = frozenset({SUPER_USERS, WITHOUT_RULES})
"""What is known of them and has an effect."""
ELSEWHERE: Final = "authorizer.zookeeper."
"""Settings of a ZooKeeper for the rules alone."""


def super_users(static: Mapping[str, str]) -> frozenset[str]:
    """Who may do everything, as ``User:alice``; they are separated by ``;``, since names of
    certificates have commas. Raises SettingError."""
    found = [part.strip() for part in static.get(SUPER_USERS, "").split(";")]
    for principal in filter(None, found):
        type_, colon, name = principal.partition(":")
        if not (type_ and colon and name):
            raise SettingError(
                f"{SUPER_USERS}: '{principal}' is no principal: write User:NAME, several with ;"
            )
    return frozenset(filter(None, found))


def without_rules(static: Mapping[str, str]) -> bool:
    """Whether everybody may do everything with what no rule is about. Raises SettingError."""
    text = static.get(WITHOUT_RULES, "false").strip().lower()
    if text not in ("true", "false"):
        raise SettingError(f"{WITHOUT_RULES}: '{text}' is neither true nor false")
    return text == "true"
