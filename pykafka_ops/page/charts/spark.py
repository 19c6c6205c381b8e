"""A line as small as a word: how a figure went over the last runs."""

from __future__ import annotations

from collections.abc import Sequence

from pykafka_ops.page.markup import Markup, el
from pykafka_ops.page.units import number

WIDTH, HEIGHT = 96, 24


def sparkline(values: Sequence[float], said: str = "") -> Markup | None:
    """The values from left to right; nothing for fewer than two. ``said`` is what they are, for
    those who cannot see the line."""
    if len(values) < 2:
        return None
    low, high = min(values), max(values)
    reach = (high - low) or 1.0
    step = (WIDTH - 6) / (len(values) - 1)
    places = [(3 + i * step, 3 + (HEIGHT - 6) * (1 - (v - low) / reach))
              for i, v in enumerate(values)]  # fmt: skip
    said = said or f"the last {len(values)} runs: {number(values[0])} to {number(values[-1])}"
    x, y = places[-1]
    return el(
        "svg",
        el("title", said),
        el("polyline", points=" ".join(f"{a:.1f},{b:.1f}" for a, b in places), class_="line l-0"),
        el("circle", cx=x, cy=y, r=2.5, class_="dot l-0"),
        class_="sparkline", width=WIDTH, height=HEIGHT, role="img",
    )  # fmt: skip
