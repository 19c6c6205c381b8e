"""``ssl.principal.mapping.rules``: user names from the names in certificates (KIP-371).

Counterpart of ``SslPrincipalMapper``. Rules are Java's regular expressions: those that Python's do
not know are refused, not read in another way.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import Final, NamedTuple

from pykafka_ops.errors import SettingError

SETTING: Final = "ssl.principal.mapping.rules"
DEFAULT: Final = "DEFAULT"

_RULE = r"(DEFAULT)|RULE:((?:\\.|[^\\/])*)/((?:\\.|[^\\/])*)/([LU]?).*?|(.*?)"
_SPLITTER = re.compile(rf"\s*({_RULE})\s*(?:,\s*|$)")
_PARSER = re.compile(_RULE)
_NAMED_GROUP = re.compile(r"\(\?<(?=[A-Za-z])")
_REFERENCE = re.compile(r"\\(.)|\$(?:\{(\w+)\}|(\d+))|([\\$])", re.DOTALL)


class MappingRule(NamedTuple):
    """``pattern`` None leaves a name as it is; ``parts`` are texts, and groups by number."""

    pattern: re.Pattern[str] | None = None
    parts: tuple[str | int, ...] = ()
    case: str = ""

    def apply(self, name: str) -> str | None:
        """The user's name, None if this rule is not for it."""
        if self.pattern is None:
            return name
        if self.pattern.fullmatch(name) is None:
            return None
        found = self.pattern.sub(self._expand, name)
        return {"L": found.lower, "U": found.upper}.get(self.case, lambda: found)()

    def _expand(self, match: re.Match[str]) -> str:
        return "".join(p if isinstance(p, str) else match[p] or "" for p in self.parts)


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
    pattern = _compiled(match[2])
    return MappingRule(pattern, tuple(_parts(match[3], pattern)), match[4])


def _compiled(text: str) -> re.Pattern[str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return re.compile(_NAMED_GROUP.sub("(?P<", text))
    except (re.error, FutureWarning, OverflowError, RecursionError) as error:
        raise SettingError(f"{SETTING}: cannot use the pattern {text}: {error}") from None


def _parts(text: str, pattern: re.Pattern[str]) -> Iterator[str | int]:
    """A replacement: ``$1`` and ``${name}`` are groups, a backslash takes a character as it is.
    Numbers that the pattern has no groups for are text, as in Kafka."""
    at = 0
    for match in _REFERENCE.finditer(text):
        yield text[at : match.start()]
        at = match.end()
        if match[1] is not None:
            yield match[1]
        elif match[3] is not None and pattern.groups:
            yield from _numbered(match[3], pattern.groups)
        elif match[2] is not None and match[2] in pattern.groupindex:
            yield pattern.groupindex[match[2]]
        elif match[3] == "0":
            yield 0
        else:
            raise SettingError(f"{SETTING}: {text}: {match[0]} is no group of the pattern")
    yield text[at:]


def _numbered(digits: str, groups: int) -> Iterator[str | int]:
    """The longest number that is one of a group; what is left of the digits is text."""
    for size in range(len(digits), 0, -1):
        if int(digits[:size]) <= groups:
            yield int(digits[:size])
            yield digits[size:]
            return
    yield f"${digits}"
