"""Sums of figures of which some are not known."""

from __future__ import annotations

from collections.abc import Iterable


def known_sum(values: Iterable[int | None]) -> int | None:
    """The sum of what is known; None where nothing is of what there is."""
    every = list(values)
    known = [value for value in every if value is not None]
    return sum(known) if known or not every else None
