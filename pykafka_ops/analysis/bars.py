"""Bars and sizes as text: a chart in a column of a table."""

from __future__ import annotations

_EIGHTHS = " ▏▎▍▌▋▊▉"
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def bar(value: int, most: int, width: int, *, plain: bool = False) -> str:
    """``value`` of ``most`` as a bar of at most ``width`` columns; never empty above 0.

    ``plain`` draws with ``#`` instead of blocks of an eighth.
    """
    if value <= 0 or most <= 0:
        return ""
    eighths = max(1, round(min(value, most) * width * 8 / most))
    if plain:
        return "#" * max(1, round(eighths / 8))
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def size_text(size: int) -> str:
    """``1.5 KiB`` of 1536."""
    amount, unit = float(size), _UNITS[0]
    for unit in _UNITS:
        if abs(amount) < 1024 or unit == _UNITS[-1]:
            break
        amount /= 1024
    return f"{size} B" if unit == "B" else f"{amount:.1f} {unit}"
