"""How many of something, in words."""

from __future__ import annotations

from collections.abc import Sequence


def counted(items: Sequence[object], noun: str) -> str:
    """``1 topic``, ``3 topics``."""
    return f"{len(items)} {noun}{'' if len(items) == 1 else 's'}"
