"""Whether bytes are text that people read."""

from __future__ import annotations

import re
from typing import Final

_CONTROL: Final = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SPARSE: Final = 8
"""Text has fewer control characters than one in so many."""


def readable_text(data: bytes) -> str | None:
    """The text, None where it is not UTF-8, has a zero in it, or many control characters."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    if "\0" in text or len(_CONTROL.findall(text)) * _SPARSE > len(text):
        return None
    return text


def whole_characters(head: bytes) -> int:
    """Where the last character begins that is cut, else the end."""
    for back in range(1, 4):
        byte = head[-back] if back <= len(head) else 0
        if byte >= 0xC0:
            return len(head) - back
        if byte < 0x80:
            break
    return len(head)
