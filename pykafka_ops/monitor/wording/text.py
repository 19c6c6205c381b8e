"""Values as few characters, safe for a terminal. Unknown is ``-``, never 0."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime
from typing import Final

from pykafka_ops.analysis.bars import size_text

UNKNOWN: Final = "-"
_HIDDEN: Final = frozenset(["Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"])
"""Unicode categories that move the cursor, turn the direction or have no width of their own."""
_LONGEST: Final = 500
"""Characters of a name that are looked at."""
_STEPS: Final = ((86_400, "d"), (3600, "h"), (60, "m"), (1, "s"))
_SHORT: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}


def safe(text: str) -> str:
    """A name on one line: no control sequence of it reaches the terminal; cut where it is long."""
    if text.isascii() and text.isprintable() and len(text) <= _LONGEST:
        return text
    shown = "".join("�" if unicodedata.category(c) in _HIDDEN else c for c in text[:_LONGEST])
    return shown + "…" if len(text) > _LONGEST else shown


def escaped(data: bytes | None, most: int, of: int | None = None) -> str:
    r"""Bytes of a record as text on one line; what is not printed as ``\n``, ``\x1b``, ``\u202e``.

    At most ``most`` bytes are shown, and then how many there are (``of``, where ``data`` is cut
    already). ``(null)`` for null, ``""`` for none.
    """
    if data is None:
        return "(null)"
    if not data:
        return '""'
    text = data[:most].decode("utf-8", "surrogateescape")
    text = "".join(_escape(c) if _is_special(c) else c for c in text)
    size = len(data) if of is None else of
    return f"{text}… ({size} bytes)" if size > min(most, len(data)) else text


def _is_special(char: str) -> bool:
    return char == "\\" or not char.isprintable() or unicodedata.category(char) in _HIDDEN


def _escape(char: str) -> str:
    code = ord(char)
    if char in _SHORT:
        return _SHORT[char]
    if 0xDC80 <= code < 0xDD00:  # a byte that is no UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def whole(value: object) -> str:
    """A count: its digits, from ten on three of them and a letter (``12.3G``)."""
    if not isinstance(value, int) or isinstance(value, bool):
        return UNKNOWN
    if abs(value) < 10**9:
        return str(value)
    amount, letters = float(value), iter("kMGTPE")
    letter = ""
    while abs(amount) >= 1000:
        amount, letter = amount / 1000, next(letters)
    return f"{amount:.4g}{letter}"


def rate(value: object) -> str:
    """Records a second."""
    if not isinstance(value, (int, float)):
        return UNKNOWN
    return f"{value:.1f}" if abs(value) < 1000 else whole(round(value))


def size(value: object) -> str:
    """Bytes."""
    return size_text(value) if isinstance(value, int) else UNKNOWN


def span(value: object) -> str:
    """Seconds in at most two units: ``4.2s``, ``3m5s``, ``2h10m``, ``12d``."""
    if not isinstance(value, (int, float)):
        return UNKNOWN
    if 0 < value < 9.95:
        return f"{value:.1f}s"
    left = round(value)
    for at, (seconds, unit) in enumerate(_STEPS):
        if left >= seconds:
            many, rest = divmod(left, seconds)
            if unit == "s" or many >= 100:
                return f"{many}{unit}"
            smaller, name = _STEPS[at + 1]
            return f"{many}{unit}{rest // smaller}{name}" if rest // smaller else f"{many}{unit}"
    return "0s"


def moment(ms: object, *, date: bool = True) -> str:
    """UTC, ``11-24 14:42:01``; without its date where the day is plain."""
    if not isinstance(ms, int) or ms < 0:
        return UNKNOWN
    try:
        found = datetime.fromtimestamp(ms / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return whole(ms)
    return found.strftime("%Y-%m-%d %H:%M:%S" if date else "%H:%M:%S")


def plain(value: object) -> str:
    """Any other value: lists by comma, names safe."""
    if value is None or value in ("", [], ()):
        return UNKNOWN
    if isinstance(value, (list, tuple)):
        return ",".join(safe(str(v)) for v in value[:_LONGEST])
    if isinstance(value, bool):
        return "yes" if value else "no"
    return safe(str(value))


def many(count: int, noun: str) -> str:
    """``1 topic``, ``3 topics``."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def some(names: list[str], most: int = 3) -> str:
    """``a, b, c and 5 more``."""
    more = len(names) - most
    return ", ".join(safe(n) for n in names[:most]) + (f" and {more} more" if more > 0 else "")
