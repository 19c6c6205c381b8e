"""Tiles: a figure each, with a word on what it means and how it went."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pykafka_ops.monitor.wording.line import NONE
from pykafka_ops.monitor.wording.past import Point
from pykafka_ops.page.charts.spark import sparkline
from pykafka_ops.page.markup import Markup, el


class FigureTile(NamedTuple):
    """A figure: its name, its value as text, a note, a tone, a page behind it, the last hours."""

    name: str
    value: str
    note: str = ""
    tone: str = NONE
    href: str = ""
    past: Sequence[Point] = ()


def tiles(*shown: FigureTile | None) -> Markup:
    """The tiles side by side; None is left out."""
    return el("ul", *(_tile(tile) for tile in shown if tile is not None), class_="tiles")


def _tile(tile: FigureTile) -> Markup:
    name = el("a", tile.name, href=tile.href) if tile.href else tile.name
    known = [value for _, value in tile.past if value is not None]
    line = sparkline(known, f"{tile.name}, the last hours") if any(known) else None
    return el(
        "li",
        el("p", name, class_="tile-name"),
        el("p", el("bdi", tile.value), class_="tile-value"),
        el("p", el("bdi", tile.note), class_="tile-note") if tile.note else None,
        line,
        class_=f"tile {tile.tone}".strip(),
    )
