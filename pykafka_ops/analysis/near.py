"""Which of the known names a misspelt one is near."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(word: str, names: Iterable[str], before: str = "") -> str:
    """`` (did you mean orders?)``, or nothing where no name is near.

    Of several near ones it is that with the longest beginning alike: a short name is near many.
    """
    import difflib

    close = difflib.get_close_matches(word, list(names))
    best = max(close, key=lambda name: _alike(word, name), default=None)
    return f" (did you mean {before}{best}?)" if best is not None else ""


def _alike(one: str, other: str) -> int:
    """Characters that both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
