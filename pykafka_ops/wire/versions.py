"""Ranges of versions, written as in Kafka's JSON message specifications: "3", "3-5", "3+"."""

from __future__ import annotations

from typing import Final, TypeAlias

Range: TypeAlias = tuple[int, int]

LAST: Final = 0x7FFF
"""Upper end of an open range ("3+")."""
NEVER: Final[Range] = (LAST, -1)
"""No version at all ("none")."""


def versions_of(text: str) -> Range:
    """The first and last version of ``"3"``, ``"3-5"``, ``"3+"`` or ``"none"``."""
    if text == "none":
        return NEVER
    if text.endswith("+"):
        return int(text[:-1]), LAST
    first, _, last = text.partition("-")
    return int(first), int(last or first)
