"""What a search asks for, from the words of an address. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from pykafka_ops.analysis.conditions import Condition, ConditionError
from pykafka_ops.analysis.logs.query import offset_range
from pykafka_ops.analysis.moments import between
from pykafka_ops.client.read_bounds import LAST_OFFSET, ReadBounds
from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.messages.conditions import record_condition
from pykafka_ops.monitor.messages.cursor import OffsetStretch, read_cursor
from pykafka_ops.monitor.messages.formats import AUTO, NAMES
from pykafka_ops.monitor.messages.parts import SoughtText

NEWEST, OLDEST = "newest", "oldest"
LIMIT: Final = 50
MOST: Final = 500
MOST_PARTITIONS: Final = 256
MOST_TEXT: Final = 1_000
WORDS: Final = (
    "order", "last", "since", "until", "offset", "partition", "key", "text", "where", "limit",
    "isolation", "control", "key_format", "value_format", "cursor",
)  # fmt: skip
READ_COMMITTED, READ_UNCOMMITTED = "read_committed", "read_uncommitted"


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A search. ``partitions`` empty: all; ``bounds``: where it begins and ends; ``left``: of a
    cursor, what is still to be read; ``times`` in ms, [first, end)."""

    order: str = NEWEST
    partitions: tuple[int, ...] = ()
    bounds: ReadBounds = field(default_factory=lambda: ReadBounds(None, (None, None), None, False))
    key: str | None = None
    text: SoughtText | None = None
    where: Condition | None = None
    limit: int = LIMIT
    uncommitted: bool = False
    control: bool = False
    key_format: str = AUTO
    value_format: str = AUTO
    left: Mapping[int, OffsetStretch] = field(default_factory=dict)

    @property
    def newest(self) -> bool:
        """Whether the newest records come first."""
        return self.order == NEWEST


def search_query(words: Mapping[str, str], now: int) -> SearchQuery:
    """The search; empty words count as absent. ValueError with one line."""
    given = {name: value.strip() for name, value in words.items() if value.strip()}
    for name in given:
        if name not in WORDS:
            raise ValueError(f"{name[:40]} is not one of {', '.join(WORDS)}")
        if name != "cursor" and len(given[name]) > MOST_TEXT:
            raise ValueError(f"{name}: at most {MOST_TEXT} characters")
    order = _choice(given, "order", (NEWEST, OLDEST))
    left: dict[int, OffsetStretch] = {}
    if "cursor" in given:
        of, left = read_cursor(given["cursor"])
        if of != order:
            raise ValueError(f"cursor: it is of a search with order={of}")
    return SearchQuery(
        order=order,
        partitions=_partitions(given.get("partition", "")),
        bounds=_bounds(given, now),
        key=given.get("key"),
        text=SoughtText(given["text"]) if "text" in given else None,
        where=_where(given.get("where")),
        limit=_number(given, "limit", LIMIT, 1, MOST),
        uncommitted=_choice(given, "isolation", (READ_COMMITTED, READ_UNCOMMITTED))
        == READ_UNCOMMITTED,
        control=_choice(given, "control", ("false", "true")) == "true",
        key_format=_choice(given, "key_format", NAMES),
        value_format=_choice(given, "value_format", NAMES),
        left=left,
    )


def _bounds(given: Mapping[str, str], now: int) -> ReadBounds:
    starts = [name for name in ("last", "since", "offset") if name in given]
    if len(starts) > 1:
        raise ValueError(f"{' and '.join(starts)} exclude each other")
    try:
        times = between(given.get("since"), given.get("until"), now)
        offsets = _offsets(given["offset"]) if "offset" in given else None
    except UsageError as error:
        raise ValueError(str(error)) from None
    last = _number(given, "last", 0, 1, 10**9) if "last" in given else None
    return ReadBounds(last, times, offsets, False)


def _offsets(text: str) -> tuple[int, int]:
    """``FIRST``, ``FIRST..LAST``, ``FIRST..`` or ``..LAST``."""
    try:
        first, last = offset_range(text)
    except UsageError:
        raise UsageError(
            f"offset={text[:40]}: write FIRST, FIRST..LAST, FIRST.. or ..LAST"
        ) from None
    return first, last if ".." in text else LAST_OFFSET


def _where(text: str | None) -> Condition | None:
    if text is None:
        return None
    try:
        return record_condition(text)
    except ConditionError as error:
        raise ValueError(f"where: {error}") from None


def _partitions(text: str) -> tuple[int, ...]:
    found = []
    for part in text.split(",") if text else ():
        number = part.strip()
        if not (number.isascii() and number.isdigit() and len(number) < 10):
            raise ValueError(f"partition={text[:40]}: write numbers by comma, such as 0,2")
        found.append(int(number))
    if len(found) > MOST_PARTITIONS:
        raise ValueError(f"partition: at most {MOST_PARTITIONS} in a search")
    return tuple(dict.fromkeys(found))


def _choice(given: Mapping[str, str], name: str, choices: tuple[str, ...]) -> str:
    value = given.get(name, choices[0])
    if value not in choices:
        raise ValueError(f"{name}={value[:40]}: choose one of {', '.join(choices)}")
    return value


def _number(given: Mapping[str, str], name: str, otherwise: int, least: int, most: int) -> int:
    text = given.get(name)
    if text is None:
        return otherwise
    if not (text.isascii() and text.isdigit() and len(text) < 18 and least <= int(text) <= most):
        raise ValueError(f"{name}={text[:40]}: write a whole number from {least} to {most}")
    return int(text)
