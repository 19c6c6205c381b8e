"""``sasl.kerberos.principal.to.local.rules``: user names from Kerberos principals.

Counterpart of ``KerberosName``, ``KerberosRule`` and ``KerberosShortNamer``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from pykafka_ops.errors import SettingError
from pykafka_ops.security.java_patterns import Replacement, compiled

SETTING: Final = "sasl.kerberos.principal.to.local.rules"

_NAME = re.compile(r"([^/@]*)(?:/([^/@]*))?@([^/@]*)")
_RULE = re.compile(
    r"DEFAULT|RULE:\[(\d*):([^\]]*)\](?:\(([^)]*)\))?(?:s/([^/]*)/([^/]*)/(g)?)?/?([LU])?"
)
_PARAMETER = re.compile(r"([^$]*)(?:\$(\d*))?", re.ASCII)
_NOT_SIMPLE = re.compile("[/@]")
MOST_DIGITS = 9


class NoUserError(ValueError):
    """A principal that no rule makes a user's name of."""


class KerberosName(NamedTuple):
    """``service/host@REALM``; ``host`` and ``realm`` are None where there is none."""

    service: str
    host: str | None = None
    realm: str | None = None

    def __str__(self) -> str:
        host = "" if self.host is None else f"/{self.host}"
        return self.service + host + ("" if self.realm is None else f"@{self.realm}")


def parsed(text: str) -> KerberosName:
    """A principal's parts. Raises NoUserError."""
    found = _NAME.fullmatch(text)
    if found is not None:
        return KerberosName(*found.groups())
    if "@" in text:
        raise NoUserError(f"Malformed Kerberos name: {text}")
    return KerberosName(text)


class LocalRule(NamedTuple):
    """One rule; ``components`` None: ``DEFAULT``."""

    text: str
    components: int | None = None
    format: str = ""
    match: re.Pattern[str] | None = None
    found: re.Pattern[str] | None = None
    replacement: Replacement | None = None
    repeat: bool = False
    case: str | None = None

    def apply(self, parameters: Sequence[str], default_realm: str) -> str | None:
        """The user's name, None where the rule is not for such a principal; ``parameters`` are
        realm, service and host. Raises NoUserError."""
        name = self._made(parameters, default_realm)
        if name is None:
            return None
        if _NOT_SIMPLE.search(name):
            raise NoUserError(f"Non-simple name {name} after auth_to_local rule {self.text}")
        return {"L": name.lower, "U": name.upper}.get(self.case or "", lambda: name)()

    def _made(self, parameters: Sequence[str], default_realm: str) -> str | None:
        if self.components is None:
            return parameters[1] if parameters[0] == default_realm else None
        if len(parameters) - 1 != self.components:
            return None
        base = self._formatted(parameters)
        if self.match is not None and self.match.fullmatch(base) is None:
            return None
        if self.found is None or self.replacement is None:
            return base
        return self.found.sub(self.replacement.of, base, count=0 if self.repeat else 1)

    def _formatted(self, parameters: Sequence[str]) -> str:
        """``format`` with ``$0`` for the realm and so on."""
        said = []
        for part in _PARAMETER.finditer(self.format):
            said.append(part[1])
            if part[2] is None:
                continue
            number = int(part[2]) if part[2] and len(part[2]) <= MOST_DIGITS else None
            if number is None:
                raise NoUserError(f"bad format in username mapping in {part[2]}")
            if number >= len(parameters):
                raise NoUserError(
                    f"index {number} from {self.format} is outside of the valid range 0 to "
                    f"{len(parameters) - 1}"
                )
            said.append(parameters[number])
        return "".join(said)


class ShortNames:
    """The rules of one listener. Raises SettingError for what cannot be read."""

    def __init__(self, rules: Sequence[str], default_realm: str) -> None:
        self._rules = [_rule(rule) for rule in rules]
        self._text = ", ".join(rules)
        self._default_realm = default_realm

    def user(self, principal: str) -> str:
        """Who a principal is. Raises NoUserError where no rule says so."""
        name = parsed(principal)
        if name.realm is None:
            return name.service
        parameters = [name.realm, name.service, *([] if name.host is None else [name.host])]
        for rule in self._rules:
            found = rule.apply(parameters, self._default_realm)
            if found is not None:
                return found
        raise NoUserError(f"No rules apply to {principal}, rules [{self._text}]")


def _rule(text: str) -> LocalRule:
    found = _RULE.match(text)
    if found is None:
        raise SettingError(f"{SETTING}: Invalid rule: {text}")
    if found.end() < len(text):
        rest = text[found.end() :]
        raise SettingError(f"{SETTING}: Invalid rule: `{text}`, unmatched substring: `{rest}`")
    if text == "DEFAULT":
        return LocalRule(text)
    count, form, match, wanted, to, repeat, case = found.groups()
    if not count.isascii() or not 0 < len(count) <= MOST_DIGITS:
        raise SettingError(f"{SETTING}: {text}: no number of components stands behind the bracket")
    pattern = None if wanted is None else compiled(wanted, SETTING)
    return LocalRule(
        text,
        int(count),
        form,
        None if match is None else compiled(match, SETTING),
        pattern,
        None if pattern is None else Replacement(to, pattern, SETTING),
        repeat is not None,
        case,
    )
