"""Java ``.properties`` files in and out, to the rules of ``java.util.Properties``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pykafka_ops.errors import SettingError

_BLANKS = " \t\f"
_NEWLINE = re.compile(r"\r\n|\r|\n")
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_WRITTEN = {v: "\\" + k for k, v in _ESCAPES.items()} | {c: "\\" + c for c in "\\=:#!"}
_SURROGATE = re.compile("[\ud800-\udfff]")


def parse_properties(text: str | bytes) -> dict[str, str]:
    """Keys and values of a properties file; of a key given twice the last value wins.

    Bytes are read as ISO 8859-1, as Java reads a file; anything else is written ``\\uXXXX``.
    Values keep blanks at their end. Raises SettingError on a broken ``\\u`` escape.
    """
    if isinstance(text, bytes):
        text = text.decode("latin-1")
    return dict(_split(line) for line in _logical_lines(text))


def format_properties(values: Mapping[str, str]) -> str:
    """Lines ``key=value`` that ``parse_properties`` reads back, in the order given."""
    return "".join(f"{_write(k, key=True)}={_write(v)}\n" for k, v in values.items())


def _logical_lines(text: str) -> Iterator[str]:
    """Lines with comments dropped and continuations joined; escapes are left as they are."""
    held = ""
    continued = False
    for line in _NEWLINE.split(text):
        stripped = line.lstrip(_BLANKS)
        if not continued and (not stripped or stripped[0] in "#!"):
            continue
        held += stripped
        continued = (len(held) - len(held.rstrip("\\"))) % 2 == 1
        if continued:
            held = held[:-1]
            continue
        if held:
            yield held
        held = ""
    if held:
        yield held


def _split(line: str) -> tuple[str, str]:
    """Key and value: the key ends at the first ``=``, ``:`` or blank that is not escaped."""
    end = 0
    while end < len(line) and line[end] not in "=:" + _BLANKS:
        end += 2 if line[end] == "\\" else 1
    rest = line[end:].lstrip(_BLANKS)
    if rest[:1] in ("=", ":"):
        rest = rest[1:].lstrip(_BLANKS)
    return _unescape(line[:end]), _unescape(rest)


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    out = []
    at = 0
    while at < len(text):
        char = text[at]
        at += 1
        if char != "\\":
            out.append(char)
            continue
        char = text[at : at + 1]
        at += 1
        if char == "u":
            digits = text[at : at + 4]
            if not re.fullmatch(r"[0-9a-fA-F]{4}", digits):
                raise SettingError("Malformed \\uxxxx encoding.")
            out.append(chr(int(digits, 16)))
            at += 4
        else:
            out.append(_ESCAPES.get(char, char))
    joined = "".join(out)
    if _SURROGATE.search(joined):  # two escapes make one character beyond U+FFFF
        joined = joined.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return joined


def _write(text: str, *, key: bool = False) -> str:
    out = []
    for number, char in enumerate(text):
        if char in _WRITTEN:
            out.append(_WRITTEN[char])
        elif char == " " and (key or number == 0):
            out.append("\\ ")
        elif " " <= char <= "~":
            out.append(char)
        else:
            units = char.encode("utf-16-be", "surrogatepass")
            out += [f"\\u{units[i] << 8 | units[i + 1]:04X}" for i in range(0, len(units), 2)]
    return "".join(out)
