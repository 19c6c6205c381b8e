"""Sizes as people write them."""

from __future__ import annotations

import pytest

from pykafka_ops.analysis.amounts import size_of
from pykafka_ops.errors import UsageError


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0", 0),
        ("1500", 1500),
        ("10MB", 10_000_000),
        ("10 mb/s", 10_000_000),
        ("10M", 10 << 20),
        ("1.5GiB", 3 << 29),
        ("2TB", 2 * 10**12),
        ("7b", 7),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert size_of(text) == size


@pytest.mark.parametrize("text", ["", "MB", "-1", "1,5MB", "10 parsecs", "1e9", "9" * 16, "1.MB"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a size: write"):
        size_of(text)
