"""The style sheet of the monitor: text stands out in both colour schemes; nothing is fetched."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pykafka_ops.monitor as package
from pykafka_ops.page.look import shared_style

OWN = (Path(package.__file__).parent / "static" / "monitor.css").read_text(encoding="utf-8")


def variables(css: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", css))


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


LIGHT = variables(shared_style().split("@media")[0])
DARK = LIGHT | variables(shared_style().split("@media")[1])


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
def test_text_and_marks_stand_out_on_every_ground(scheme: dict[str, str]) -> None:
    """WCAG 2.2: 4.5 to 1 for text, 3 to 1 for marks, charts and the edges of inputs."""
    for ground in ("card", "page", "track"):
        for text in ("ink", "soft", "accent", "good-text", "warn-text", "bad-text"):
            assert contrast(scheme[text], scheme[ground]) >= 4.5, (text, ground)
    for mark in ("ok", "warn", "stop", "unknown", "plain", "s0", "s1", "s2"):
        assert contrast(scheme[mark], scheme["card"]) >= 3, mark


def test_every_colour_that_is_used_is_known() -> None:
    used = set(re.findall(r"var\(--([\w-]+)\)", OWN))
    assert used <= LIGHT.keys()
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b", OWN) == []


def test_the_style_sheet_fetches_nothing() -> None:
    assert "url(" not in OWN
    assert "@import" not in OWN + shared_style()
