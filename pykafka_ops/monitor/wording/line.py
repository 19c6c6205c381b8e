"""A line for people, and its tone."""

from __future__ import annotations

from typing import NamedTuple

GOOD, WARN, BAD, DIM, NONE = "good", "warn", "bad", "dim", ""
"""Tones: how a text is coloured, beside the word that says the same."""


class Line(NamedTuple):
    """A line above the rows."""

    text: str
    tone: str = NONE
