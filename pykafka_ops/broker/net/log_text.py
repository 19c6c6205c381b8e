"""Words for the log."""

from __future__ import annotations

from collections.abc import Sequence


def first_of(names: Sequence[str]) -> str:
    """The first of some names and how many more there are: one line for thousands."""
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
