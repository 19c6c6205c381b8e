"""Values as people read them. Moments are UTC."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from math import isfinite

NONE = "–"
"""What stands for a value that is not known."""
_SIZES = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
_COUNTS = ("", "k", "M", "G", "T", "P")
_DAY = 86_400
_LATEST = 253_402_300_799_999  # the end of the year 9999, which is as far as datetime goes


def number(value: float) -> str:
    """``1,234,567``, ``12.35``: all digits before the point, three that count behind it."""
    if not isfinite(value):
        return "∞" if value > 0 else "-∞" if value < 0 else NONE
    if value == int(value):
        return f"{int(value):,}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    digits = 0 if abs(value) >= 1000 else 1 if abs(value) >= 100 else 2 if abs(value) >= 1 else 3
    return f"{value:.{digits}f}".rstrip("0").rstrip(".") or "0"


def count(value: float) -> str:
    """``12.3k``, ``4.56M``: three digits."""
    return _scaled(value, 1000, _COUNTS, "")


def size(value: float) -> str:
    """Bytes: ``1.5 MiB``."""
    return _scaled(value, 1024, _SIZES, " ")


def _scaled(value: float, base: int, units: tuple[str, ...], gap: str) -> str:
    if not isfinite(value):
        return number(value)
    amount, last = float(value), len(units) - 1
    step = 0
    while abs(amount) >= base - 0.5 and step < last:
        amount /= base
        step += 1
    digits = 0 if step == 0 and amount == int(amount) else 2 if abs(amount) < 9.995 else 1
    digits = 0 if abs(amount) >= 99.95 else digits
    text = f"{amount:.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"{text}{gap}{units[step]}".strip()


def span(seconds: float) -> str:
    """``45 s``, ``12 min``, ``3 h 20 min``, ``4 d 6 h``: two units at most."""
    if not isfinite(seconds):
        return number(seconds)
    sign, seconds = ("-" if seconds < 0 else ""), abs(seconds)
    if seconds < 60:
        return f"{sign}{number(round(seconds, 2) if seconds < 10 else round(seconds))} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{sign}{minutes} min"
    if minutes < 48 * 60:
        return f"{sign}{minutes // 60} h" + (f" {minutes % 60} min" if minutes % 60 else "")
    hours = round(seconds / 3600)
    if hours < 100 * 24:
        return f"{sign}{hours // 24} d" + (f" {hours % 24} h" if hours % 24 else "")
    if hours < 2 * 365 * 24:
        return f"{sign}{round(hours / 24)} d"
    return f"{sign}{number(round(hours / 24 / 365.25, 1))} years"


def moment(ms: float, pattern: str = "%Y-%m-%d %H:%M:%S") -> str:
    """A time in ms since 1970; one out of range as the number it is."""
    if not 0 <= ms <= _LATEST:
        return f"{ms:.0f} ms"
    return datetime.fromtimestamp(int(ms) / 1000, UTC).strftime(pattern)


def iso(ms: float) -> str | None:
    """The same as ISO 8601 in UTC, None for one out of range."""
    return moment(ms, "%Y-%m-%dT%H:%M:%SZ") if 0 <= ms <= _LATEST else None


def share(value: float) -> str:
    """A share of 1 as percent: ``12.3 %``."""
    return percent(value * 100)


def percent(value: float) -> str:
    """``12.3 %``, ``0.04 %``, ``1,250 %``."""
    if not isfinite(value):
        return number(value)
    digits = 0 if abs(value) >= 99.95 or value == int(value) else 1 if abs(value) >= 0.95 else 2
    return f"{value:,.{digits}f} %"


def money(value: float) -> str:
    """``1,234.50``; less than a hundredth as ``0.0042``."""
    if not isfinite(value):
        return number(value)
    return f"{value:,.2f}" if abs(value) >= 0.01 or not value else f"{value:.2g}"


_TEXTS: Mapping[str, Callable[[float], str]] = {
    "ms": moment,
    "bytes": size,
    "bytes/s": lambda value: f"{size(value)}/s",
    "records/s": lambda value: f"{number(value)}/s",
    "seconds": span,
    "share": share,
    "percent": percent,
    "days": lambda value: span(value * _DAY),
    "money": money,
}


def value_text(value: float, unit: str) -> str:
    """A number with the ``unit`` of a column (model.Column)."""
    return _TEXTS.get(unit, number)(value)
