"""Counts the error codes in a message: code compiled once per class and version.

Counterpart of ``AbstractResponse.errorCounts``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from pykafka_ops.wire.message import MessageTable, table_of
from pykafka_ops.wire.types import Scalar

FIELD: Final = "error_code"

Count = Callable[[Any, dict[int, int]], None]
"""Adds those of a message to how often there was each."""


_made: dict[tuple[type, int], Count] = {}


def counter(cls: type, version: int) -> Count:
    """What counts the error codes that a message of the class has in ``version``, those of its
    items, too."""
    found = _made.get((cls, version))
    if found is None:
        found = _made[cls, version] = _compiled(cls, version)
    return found


def item_counter(cls: type, name: str, version: int) -> Count:
    """The same for the items of the array ``name`` of a class."""
    (kind,) = (field.kind for field in table_of(cls).fields if field.name == name)
    if isinstance(kind, Scalar):
        return lambda item, found: None
    return counter(kind, version)


def _compiled(cls: type, version: int) -> Count:
    lines = ["def count(m, found):", *_lines(table_of(cls), version, "m", 1), " return None"]
    scope: dict[str, Any] = {}
    exec("\n".join(lines), scope)
    made: Count = scope["count"]
    return made


def count_all(count: Count, items: Iterable[Any], found: dict[int, int]) -> None:
    """Those of several messages."""
    for item in items:
        count(item, found)


def _lines(table: MessageTable, version: int, name: str, depth: int) -> list[str]:
    """Statements about the struct that the variable ``name`` holds."""
    pad, lines = " " * depth, []
    for field in table.fields:
        if not field.exists(version):
            continue
        if isinstance(field.kind, Scalar):
            if field.name == FIELD:
                got = f"{name}.{FIELD}"
                lines.append(f"{pad}found[{got}] = found.get({got}, 0) + 1")
            continue
        inner = f"{name}{depth}"
        below = _lines(table_of(field.kind), version, inner, depth + 1)
        if below:
            held = f"{name}.{field.name}"
            each = f"{held} or ()" if field.array else f"({held},) if {held} is not None else ()"
            lines += [f"{pad}for {inner} in {each}:", *below]
    return lines
