"""Names of MBeans, and which of them a pattern means (``javax.management.ObjectName``). Pure."""

from __future__ import annotations

import re
from typing import NamedTuple

from pykafka_ops.errors import UsageError

_PART = re.compile(r'([^,=:*?"]+)=("(?:\\.|[^"\\])*"|[^,=:"]*)')


class ObjectPattern(NamedTuple):
    """A name or a pattern of domain and values; ``more``: other keys may be there."""

    text: str
    domain: str
    keys: dict[str, str]
    more: bool

    @property
    def is_pattern(self) -> bool:
        """Whether it can mean several."""
        return self.more or any(_is_wild(part) for part in (self.domain, *self.keys.values()))

    def means(self, other: ObjectPattern) -> bool:
        """Whether it means the bean of that name."""
        if not _fits(self.domain, other.domain):
            return False
        if self.keys.keys() != other.keys.keys() and not self.more:
            return False
        return all(k in other.keys and _fits(v, other.keys[k]) for k, v in self.keys.items())


def parse_name(text: str) -> ObjectPattern:
    """``domain:key=value,...``, with ``*`` and ``?``, and ``,*`` in the end; UsageError."""
    domain, colon, rest = text.partition(":")
    if not colon:
        raise UsageError("Domain part must be specified")
    more = rest == "*" or rest.endswith(",*")
    rest = rest[:-1].rstrip(",") if more else rest
    keys: dict[str, str] = {}
    at = 0
    while at < len(rest):
        found = _PART.match(rest, at)
        if found is None:
            raise UsageError(f"Invalid character in the properties of {text}")
        keys[found[1]] = found[2]
        at = found.end() + 1
    if not keys and not more:
        raise UsageError("Key properties cannot be empty")
    return ObjectPattern(text, domain, keys, more)


def _is_wild(text: str) -> bool:
    return "*" in text or "?" in text


def _fits(pattern: str, text: str) -> bool:
    if not _is_wild(pattern):
        return pattern == text
    parts = ("." if c == "?" else ".*" if c == "*" else re.escape(c) for c in pattern)
    return re.fullmatch("".join(parts), text, re.DOTALL) is not None
