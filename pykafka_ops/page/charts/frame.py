"""What all pictures share: the outer element, axes, patterns, legends."""

from __future__ import annotations

from collections.abc import Sequence

from pykafka_ops.page.markup import Markup, el, join

PATTERNED = ("warn", "rewind", "stall", "stop", "lost", "unknown")
"""Tones that carry a pattern beside their colour."""
_PATTERNS = {
    "warn": ("0 0 8 8", "M-2,2 l4,-4 M0,8 l8,-8 M6,10 l4,-4", 1.5),
    "rewind": ("0 0 8 8", "M-2,6 l4,4 M0,0 l8,8 M6,-2 l4,4", 1.5),
    "stall": ("0 0 6 6", "M2,3 h2", 2.0),
    "stop": ("0 0 6 6", "M0,0 l6,6 M6,0 l-6,6", 1.2),
    "lost": ("0 0 6 6", "M3,0 v6", 2.0),
    "unknown": ("0 0 6 6", "M0,3 h6", 1.2),
}


def definitions() -> Markup:
    """The patterns that all pictures of a page use; once per page."""
    made = []
    for tone, (box, path, width) in _PATTERNS.items():
        side = int(box.split()[2])
        line = el("path", d=path, class_="pattern", stroke_width=width)
        made.append(el("pattern", line, id=f"p-{tone}", width=side, height=side,
                       patternUnits="userSpaceOnUse"))  # fmt: skip
    return el("svg", el("defs", *made), width=0, height=0, aria_hidden="true", class_="defs")


def chart(title: str, description: str, height: float, *children: Markup) -> Markup:
    """The outer element, with its text for screen readers."""
    return el("svg", el("title", title), el("desc", description), *children, class_="chart",
              width="100%", height=height, role="img")  # fmt: skip


def stretched(y: float, height: float, *children: Markup) -> Markup:
    """A part whose coordinates are 0 to 1000 across and pixels down."""
    return el("svg", *children, x=0, y=y, width="100%", height=height,
              viewBox=f"0 0 1000 {height:g}", preserveAspectRatio="none")  # fmt: skip


def at(part: float, whole: float) -> str:
    """A position across, as a percentage within 0 and 100."""
    share = 0.0 if whole <= 0 else max(0.0, min(1.0, part / whole))
    return f"{share * 100:.3f}".rstrip("0").rstrip(".") + "%"


def block(tone: str, title: str = "", **geometry: object) -> Markup:
    """A rectangle in a tone, with the pattern that goes with it."""
    tip = el("title", title) if title else None
    shape = el("rect", tip, class_=f"t-{tone}", **geometry)
    if tone not in PATTERNED:
        return shape
    geometry.pop("data_value", None)
    over = el("rect", tip, fill=f"url(#p-{tone})", class_="over", **geometry)
    return join(shape, over)


def words(content: str, x: object, y: float, kind: str = "", anchor: str = "") -> Markup:
    """Text in a picture."""
    return el("text", content, x=x, y=y, class_=kind or None, text_anchor=anchor or None)


def grid(
    levels: Sequence[tuple[float, str]], y: float, height: float, *, right: bool = False
) -> Markup:
    """Horizontal lines with their values; ``levels`` are shares of the height from below.

    The values stand on the left above their lines, or on the ``right``.
    """
    place, anchor = ("100%", "end") if right else (0, "")
    made = []
    for share, label in levels:
        down = y + height * (1 - share)
        line = el("line", x1=0, x2="100%", y1=down, y2=down, class_="axis" if not share else "grid")
        made.append(join(line, words(label, place, down - 4, "tick", anchor) if share else None))
    return join(*made)


def below(labels: Sequence[tuple[float, str]], y: float) -> Markup:
    """Words under the horizontal axis at shares of its width; those at its ends stay inside."""
    made = []
    for share, label in labels:
        anchor = "start" if share < 0.12 else "end" if share > 0.88 else "middle"
        made.append(words(label, at(share, 1), y, "tick", anchor))
    return join(*made)


def legend(entries: Sequence[tuple[str, str]]) -> Markup | None:
    """(tone, meaning) of all that is in a picture; nothing where there is only one meaning."""
    if len(entries) < 2:
        return None
    made = []
    for tone, meaning in entries:
        swatch = el("svg", block(tone, width=14, height=10, rx=2), width=14, height=10,
                    aria_hidden="true")  # fmt: skip
        made.append(el("li", swatch, el("bdi", meaning)))
    return el("ul", *made, class_="legend")


def line_legend(entries: Sequence[tuple[str, str]]) -> Markup:
    """The same for lines: how each is drawn."""
    made = []
    for tone, meaning in entries:
        swatch = el("svg", el("line", x1=0, x2=22, y1=5, y2=5, class_=f"line l-{tone}"),
                    width=22, height=10, aria_hidden="true")  # fmt: skip
        made.append(el("li", swatch, el("bdi", meaning)))
    return el("ul", *made, class_="legend")


def nothing(why: str) -> Markup:
    """In place of a picture of no data."""
    return el("p", why, class_="nothing")
