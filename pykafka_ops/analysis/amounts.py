"""Sizes and rates as people write them, in bytes."""

from __future__ import annotations

import re

from pykafka_ops.errors import UsageError

_UNITS = {"": 1, "b": 1}
for _n, _letter in enumerate("kmgtp", 1):
    _UNITS[f"{_letter}ib"] = _UNITS[_letter] = 1024**_n
    _UNITS[f"{_letter}b"] = 1000**_n
SIZES = "1500, 10MB or 1.5GiB"
"""Sizes to write, as help and complaints say it."""
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,6})?)\s*([a-z]*)(?:/s)?", re.IGNORECASE)


def size_of(text: str) -> int:
    """Bytes of ``1500``, ``10MB``, ``1.5GiB``, ``50M`` (as MiB); a rate may end in ``/s``.

    UsageError for what is none.

    >>> size_of("1.5KiB"), size_of("2kB/s")
    (1536, 2000)
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None or match[2].lower() not in _UNITS:
        raise UsageError(f"{text!r} is not a size: write {SIZES}")
    return int(float(match[1]) * _UNITS[match[2].lower()])
