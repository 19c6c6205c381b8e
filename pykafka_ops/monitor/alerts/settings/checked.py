"""Checks the values of a TOML table; an error is one line that says what is wrong and where."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, date, datetime, time
from typing import Final, TypeVar

from pykafka_ops.analysis import moments
from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.errors import UsageError

T = TypeVar("T")
MOST_SPAN_MS: Final = 366 * moments.UNITS["d"]
MOST_TEXT: Final = 10_000


class CheckedTable:
    """A table; each method reads one key and raises UsageError if its value is wrong.

    ``place`` begins every error: ``monitor.toml: [[alert]] late``.
    """

    def __init__(self, place: str, values: Mapping[str, object]) -> None:
        self.place, self.values = place, values

    def wrong(self, key: str, why: str) -> UsageError:
        """The error about a key."""
        return UsageError(f"{self.place}: {key}: {why}")

    def only(self, known: Collection[str]) -> None:
        """Refuse other keys than these."""
        for key in self.values:
            if key not in known:
                hint = did_you_mean(key, known) or f"; known: {', '.join(known)}"
                raise UsageError(f"{self.place}: unknown key {_shown(key)}{hint}")

    def text(self, key: str, default: str | None = None) -> str:
        """A text that is not empty; without a default it must be there."""
        value = self.values.get(key, default)
        if value is None:
            raise self.wrong(key, f'is missing: write {key} = "..."')
        if not isinstance(value, str) or not value.strip() or len(value) > MOST_TEXT:
            raise self.wrong(key, f"{_shown(value)} is not a text")
        return value

    def maybe(self, key: str) -> str | None:
        """A text, None where there is none."""
        return self.text(key) if key in self.values else None

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self.values.get(key, default)
        if not isinstance(value, bool):
            raise self.wrong(key, f"{_shown(value)} is neither true nor false")
        return value

    def choice(self, key: str, choices: Collection[str], default: str | None = None) -> str:
        """One of these texts."""
        value = self.text(key, default)
        if value not in choices:
            hint = did_you_mean(value, choices)
            raise self.wrong(key, f"{_shown(value)}: choose one of {', '.join(choices)}{hint}")
        return value

    def span(self, key: str, default_ms: int, least_ms: int = 0) -> int:
        """A length of time in ms: ``"2m"``, or a number of seconds."""
        value = self.values.get(key)
        if value is None:
            return default_ms
        try:
            if isinstance(value, bool) or not isinstance(value, int | str):
                raise UsageError(f"{_shown(value)} is not a length of time: write {moments.SPANS}")
            found = 0 if str(value) in ("0", "0s") else moments.span(str(value))
        except UsageError as error:
            raise self.wrong(key, str(error)) from None
        if not least_ms <= found <= MOST_SPAN_MS:
            raise self.wrong(key, f"{_shown(value)}: must be {least_ms / 1000:g}s to 366d")
        return found

    def number(self, key: str, default: int, least: int, most: int) -> int:
        """A whole number within these bounds."""
        value = self.values.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise self.wrong(key, f"{_shown(value)} is not a number from {least} to {most}")
        return value

    def moment(self, key: str) -> int | None:
        """A moment in ms since 1970, UTC unless a zone is given; None where there is none."""
        value = self.values.get(key)
        if value is None:
            return None
        if isinstance(value, date) and not isinstance(value, datetime):
            value = datetime.combine(value, time())
        if isinstance(value, datetime):
            zoned = value if value.tzinfo else value.replace(tzinfo=UTC)
            return int(zoned.timestamp() * 1000)
        try:
            found = moments.moment(value, 0)[0] if isinstance(value, str) else -1
            if found < 0:  # before 1970, or not a time
                raise UsageError(f"{_shown(value)} is not a time: write 2026-11-21T08:00")
            return found
        except UsageError as error:
            raise self.wrong(key, str(error)) from None

    def texts(self, key: str) -> tuple[str, ...] | None:
        """A list of texts, or one; None where there is none."""
        value = self.values.get(key)
        if value is None:
            return None
        found = [value] if isinstance(value, str) else value
        if not isinstance(found, list) or not all(isinstance(v, str) and v for v in found):
            raise self.wrong(key, f'{_shown(value)} is not a list of texts: write ["a", "b"]')
        return tuple(dict.fromkeys(found))

    def pairs(self, key: str) -> dict[str, str]:
        """A table of texts."""
        value = self.values.get(key, {})
        if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
            raise self.wrong(key, 'is not a table of texts: write {name = "value"}')
        return dict(value)

    def pattern(self, key: str) -> re.Pattern[str] | None:
        """A regular expression for whole names; None where there is none."""
        text = self.maybe(key)
        if text is None:
            return None
        try:
            return re.compile(text)
        except (re.error, RecursionError, OverflowError) as error:
            raise self.wrong(key, f"{_shown(text)} is not a regular expression: {error}") from None


class Complaints:
    """Collects errors, so that one run reports all of them."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def of(self, make: Callable[[], T]) -> T | None:
        """What ``make`` returns; None where it raises UsageError."""
        try:
            return make()
        except UsageError as error:
            self.lines.append(str(error))
            return None


def tables(values: object, place: str) -> list[Mapping[str, object]]:
    """An array of tables; UsageError where it is something else."""
    if not isinstance(values, list) or not all(isinstance(v, dict) for v in values):
        raise UsageError(f"{place}: write it as [[...]] tables")
    return values


def named_tables(values: object, place: str) -> dict[str, Mapping[str, object]]:
    """Tables by name; UsageError where it is something else."""
    if not isinstance(values, dict) or not all(isinstance(v, dict) for v in values.values()):
        raise UsageError(f"{place}: write it as [{place.rpartition('[')[2].rstrip(']')}.NAME]")
    return values


def _shown(value: object) -> str:
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 100 else text[:100] + "..."
