"""HTML and SVG as values: text that was escaped, and elements made of it.

A plain str is never markup: ``el`` escapes it, so hostile names stay text wherever they come from.
"""

from __future__ import annotations

import html
import re

_INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff"
    "\ud800-\udfff\ufdd0-\ufdef\ufff9-\uffff]"
)
_VOID = frozenset({"meta", "link", "br", "hr", "input"})


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


Child = str | None
"""Markup stays as it is, any other text is escaped; None is nothing."""


def visible(text: str) -> str:
    """``text`` with what a browser would not show, or would let turn the line, as ``\\u202e``."""
    return _INVISIBLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def escape(text: str) -> Markup:
    """Text as HTML; Markup stays what it is."""
    if isinstance(text, Markup):
        return text
    return Markup(html.escape(visible(text)))


def join(*children: Child) -> Markup:
    """Children one after another."""
    return Markup("".join(escape(c) for c in children if c is not None))


def el(name: str, /, *children: Child, **attributes: object) -> Markup:
    """An element. In attribute names ``_`` means ``-`` and one at the end is dropped (``class_``).

    Attributes that are None or False are left out, True has no value, floats are rounded.
    """
    words = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        attribute = key.rstrip("_").replace("_", "-")
        words.append(attribute if value is True else f'{attribute}="{escape(_said(value))}"')
    start = f"<{' '.join(words)}>"
    return Markup(start if name in _VOID else f"{start}{join(*children)}</{name}>")


def _said(value: object) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def name_text(value: object) -> str:
    """A topic, group or key as text: bytes as UTF-8 where they are, else in hexadecimal."""
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return "0x" + value.hex()
    return "(none)" if value is None else str(value)


def shorten(text: str, most: int) -> str:
    """At most ``most`` characters: the beginning and the end, where names differ."""
    text = visible(text)
    if len(text) <= most:
        return text
    tail = (most - 1) // 3
    return f"{text[: most - 1 - tail]}…{text[len(text) - tail :]}"
