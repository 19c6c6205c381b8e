"""``ssl.principal.mapping.rules``: user names from the names in certificates (KIP-371).

Counterpart of ``SslPrincipalMapper``. Rules are Java's regular expressions: those that Python's do
not know are refused, not read in another way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from pykafka_ops.errors import SettingError
from pykafka_ops.security.java_patterns import Replacement, compiled

SETTING: Final = "ssl.principal.mapping.rules"
DEFAULT: Final = "DEFAULT"

_RULE = r"(DEFAULT)|RULE:((?:\\.|[^\\/])*)/((?:\\.|[^\\/])*)/([LU]?).*?|(.*?)"
_SPLITTER = re.compile(rf"\s*({_RULE})\s*(?:,\s*|$)")
_PARSER = re.compile(_RULE)


class MappingRule(NamedTuple):
    """``pattern`` None leaves a name as it is."""

    pattern: re.Pattern[str] | None = None
    replacement: Replacement | None = None
    case: str = ""

    def apply(self, name: str) -> str | None:
        """The user's name, None if this rule is not for it."""
        if self.pattern is None or self.replacement is None:
            return name
        if self.pattern.fullmatch(name) is None:
            return None
        found = self.pattern.sub(self.replacement.of, name)
        return {"L": found.lower, "U": found.upper}.get(self.case, lambda: found)()


class PrincipalMapping:
    """The rules of one listener. Raises SettingError for what cannot be read."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._rules = [_rule(each) for each in _split(text) if each]

    def user(self, name: str) -> str | None:
        """The user that a distinguished name stands for; None where no rule applies, and the client
        must not come in."""
        for rule in self._rules:
            found = rule.apply(name)
            if found is not None:
                return found
        return None


def _split(text: str) -> Iterator[str]:
    for match in _SPLITTER.finditer(text.strip()):
        yield match[1]


def _rule(text: str) -> MappingRule:
    match = _PARSER.match(text)
    if match is None or match.end() < len(text):  # an end that says nothing matches nothing
        raise SettingError(f"{SETTING}: cannot read {text}: write RULE:pattern/replacement/")
    if match[1] is not None:
        return MappingRule()
    pattern = compiled(match[2], SETTING)
    return MappingRule(pattern, Replacement(match[3], pattern, SETTING), match[4])
