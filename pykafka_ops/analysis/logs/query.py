"""What ``pko dump-log find`` looks for, as plain rules about a record."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pykafka_ops.errors import UsageError

Headers = Sequence[tuple[str, bytes | None]]
#: Text of a payload; None where it is not of its format, which matches no pattern.
Text = Callable[[bytes], str | None]

_COUNTED = re.compile(r"\{\d*,?\d*\}")
_CLASSES = "dDwWsSbBAZ"
_SPECIAL = "*?{[().^$+"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression searched in the text of a key or value.

    ``bytewise``: the text is just the bytes as UTF-8, malformed ones replaced by U+FFFD.
    """

    pattern: re.Pattern[str]
    text: Text
    bytewise: bool = True

    def found(self, data: bytes | None) -> bool:
        """Whether ``data`` has a text in which the expression is found; null has none."""
        if data is None:
            return False
        text = self.text(data)
        return text is not None and self.pattern.search(text) is not None


@dataclass(frozen=True, slots=True)
class RecordQuery:
    """All of what is not None must hold.

    ``offsets``: first and last, inclusive; ``times``: [first, end) in ms, a side may be open.
    ``headers``: names, each with the value it must have or None for any.
    """

    key: bytes | None = None
    key_pattern: Pattern | None = None
    value_pattern: Pattern | None = None
    offsets: tuple[int, int] | None = None
    times: tuple[int | None, int | None] | None = None
    producer_id: int | None = None
    headers: tuple[tuple[str, bytes | None], ...] = ()

    @property
    def of_content(self) -> bool:
        """Whether keys, values or headers matter, which a transaction's marker has none of."""
        wanted = (self.key, self.key_pattern, self.value_pattern)
        return any(part is not None for part in wanted) or bool(self.headers)

    @property
    def is_empty(self) -> bool:
        """Whether it asks for nothing at all."""
        return not self.of_content and (self.offsets, self.times, self.producer_id) == (None,) * 3

    def at(self, offset: int, timestamp: int) -> bool:
        """Whether a record at this offset and time (ms) may match."""
        if self.offsets is not None and not self.offsets[0] <= offset <= self.offsets[1]:
            return False
        return self.times is None or within(timestamp, self.times)

    def content(
        self, key: bytes | None, value: bytes | None, headers: Callable[[], Headers]
    ) -> bool:
        """Whether key, value and headers match; the headers are only read where needed."""
        if self.key is not None and key != self.key:
            return False
        if self.key_pattern is not None and not self.key_pattern.found(key):
            return False
        if self.value_pattern is not None and not self.value_pattern.found(value):
            return False
        return not self.headers or self._has_headers(headers())

    def _has_headers(self, headers: Headers) -> bool:
        return all(
            any(name == have and (value is None or value == data) for have, data in headers)
            for name, value in self.headers
        )


def within(timestamp: int, times: tuple[int | None, int | None]) -> bool:
    """Whether a time (ms) is in [first, end); a side may be open."""
    first, end = times
    return (first is None or timestamp >= first) and (end is None or timestamp < end)


def offset_range(text: str) -> tuple[int, int]:
    """(first, last) of ``N``, ``N..M``, ``N..`` or ``..M``; UsageError for what is none."""
    before, dots, after = text.partition("..")
    parts = (before, after) if dots else (text, text)
    if not any(parts) or any(part and not _is_offset(part) for part in parts):
        raise UsageError(f"--offset {text}: write an offset, or FIRST..LAST")
    first, last = int(parts[0] or 0), int(parts[1] or 2**63 - 1)
    if last < first:
        raise UsageError(f"--offset {text}: the last is before the first")
    return first, last


def _is_offset(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 20 and int(text) < 2**63


def compiled(text: str, option: str) -> re.Pattern[str]:
    """The expression; UsageError where it is none. ``option`` is named in the message."""
    try:
        return re.compile(text)
    except (re.error, OverflowError, RecursionError) as e:
        raise UsageError(f"{option} {text}: no regular expression: {e}") from None


def required_literal(pattern: str) -> str:
    """The longest text known to stand in whatever ``pattern`` finds; "" where none is known.

    Cautious: alternatives, options in the pattern and odd escapes give "".
    """
    if "|" in pattern or "(?" in pattern:
        return ""
    best, run, depth, at = "", "", 0, 0
    while at < len(pattern):
        char, at = pattern[at], at + 1
        if char == "\\":
            literal, at = pattern[at : at + 1], at + 1
            if literal.isalnum() and literal not in _CLASSES:
                return ""
            literal = "" if literal.isalnum() else literal
        else:
            literal = "" if char in _SPECIAL else char
        if literal:
            run += "" if depth else literal
            continue
        depth += {"(": 1, ")": -1}.get(char, 0)
        best, run = max(best, run[:-1] if char in "*?{" else run, key=len), ""
        at = _behind(pattern, char, at)
        if at < 0:
            return ""
    return max(best, run, key=len)


def _behind(pattern: str, char: str, at: int) -> int:
    """Where what began with the special ``char`` before ``at`` ends; -1 for what is odd."""
    if char == "[":
        return _class_end(pattern, at)
    if char == "{":
        counted = _COUNTED.match(pattern, at - 1)
        return counted.end() if counted else -1
    return at


def _class_end(pattern: str, at: int) -> int:
    """Where the set that began before ``at`` ends, -1 where it does not."""
    at += pattern[at : at + 1] == "^"
    at += pattern[at : at + 1] == "]"
    while at < len(pattern):
        if pattern[at] == "]":
            return at + 1
        at += 2 if pattern[at] == "\\" else 1
    return -1
