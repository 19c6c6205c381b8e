"""Java's regular expressions in settings: those that Python's do not know are refused, not read in
another way. Counterpart of ``java.util.regex``.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator

from pykafka_ops.errors import SettingError

_NAMED_GROUP = re.compile(r"\(\?<(?=[A-Za-z])")
_REFERENCE = re.compile(r"\\(.)|\$(?:\{(\w+)\}|(\d+))|([\\$])", re.DOTALL)


def compiled(text: str, setting: str) -> re.Pattern[str]:
    """The pattern. SettingError, which names ``setting``, where it cannot be used."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return re.compile(_NAMED_GROUP.sub("(?P<", text))
    except (re.error, FutureWarning, OverflowError, RecursionError) as error:
        raise SettingError(f"{setting}: cannot use the pattern {text}: {error}") from None


class Replacement:
    """What takes the place of what a pattern finds: ``$1`` and ``${name}`` are groups, a backslash
    takes a character as it is. SettingError for a group that the pattern has not."""

    def __init__(self, text: str, pattern: re.Pattern[str], setting: str) -> None:
        self._parts = tuple(_parts(text, pattern, setting))

    def of(self, match: re.Match[str]) -> str:
        """For one find."""
        return "".join(p if isinstance(p, str) else match[p] or "" for p in self._parts)


def _parts(text: str, pattern: re.Pattern[str], setting: str) -> Iterator[str | int]:
    """Texts, and groups by number. Numbers that the pattern has no groups for are text, as in
    Kafka."""
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
            raise SettingError(f"{setting}: {text}: {match[0]} is no group of the pattern")
    yield text[at:]


def _numbered(digits: str, groups: int) -> Iterator[str | int]:
    """The longest number that is one of a group; what is left of the digits is text."""
    for size in range(len(digits), 0, -1):
        if int(digits[:size]) <= groups:
            yield int(digits[:size])
            yield digits[size:]
            return
    yield f"${digits}"
