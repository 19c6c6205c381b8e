"""Bars and sizes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.bars import bar, size_text


@given(st.integers(-5, 10**12), st.integers(-5, 10**12), st.integers(1, 80), st.booleans())
def test_a_bar_is_seen_and_never_too_long(value: int, most: int, width: int, plain: bool) -> None:
    drawn = bar(value, most, width, plain=plain)
    assert len(drawn) <= width
    assert bool(drawn) == (value > 0 and most > 0)
    assert drawn.isascii() or not plain


def test_a_bar_is_as_long_as_its_share() -> None:
    assert bar(10, 10, 8) == "█" * 8
    assert bar(5, 10, 8) == "█" * 4
    assert bar(1, 16, 2) == "▏"
    assert bar(5, 10, 8, plain=True) == "####"


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1536, "1.5 KiB"),
        (1 << 30, "1.0 GiB"),
        (1 << 70, "1024.0 EiB"),
    ],
)
def test_sizes_have_their_unit(size: int, text: str) -> None:
    assert size_text(size) == text
