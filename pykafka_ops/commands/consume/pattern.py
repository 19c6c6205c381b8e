"""``--format '%t %p %o %k %s\\n'``: records as kcat writes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from pykafka_ops.analysis.moments import moment_text
from pykafka_ops.commands.consume.formatter import Consumed, Formats, Formatter
from pykafka_ops.commands.payload.formats import PayloadFormat
from pykafka_ops.errors import UsageError

Text = Callable[[bytes], bytes]

_PART = re.compile(r"%(.)|\\x([0-9A-Fa-f]{2})|\\(.)|([^%\\]+)|(.)", re.S)
_ESCAPES = {"n": b"\n", "t": b"\t", "r": b"\r", "\\": b"\\"}


class PatternFormatter(Formatter):
    """A record by a format string; nothing is added to it, a line's end neither."""

    def __init__(self, text: str, formats: Formats = (None, None)) -> None:
        """UsageError for a token that there is not."""
        self.parts = [_part(found, text, formats) for found in _PART.finditer(text)]

    def format(self, message: Consumed) -> bytes:
        """What stands for one record."""
        return b"".join([part(message) for part in self.parts])


Part = Callable[[Consumed], bytes]


def _part(found: re.Match[str], text: str, formats: Formats) -> Part:
    token, code, escape, plain, _ = found.groups()
    if token is not None:
        return _token(token, text, formats)
    if code is not None:
        fixed = bytes.fromhex(code)
    elif escape in _ESCAPES:
        fixed = _ESCAPES[escape]
    elif plain is not None:
        fixed = plain.encode("utf-8", "surrogateescape")
    else:
        raise UsageError(f"--format {text}: {found[0]} stands for nothing; pko consume --help")
    return lambda message: fixed


def _token(token: str, text: str, formats: Formats) -> Part:
    key, value = _text(formats[0]), _text(formats[1])
    made: dict[str, Part] = {
        "t": lambda m: m.topic().encode(),
        "p": lambda m: b"%d" % m.partition(),
        "o": lambda m: b"%d" % m.offset(),
        "k": lambda m: _shown(m.key(), key),
        "s": lambda m: _shown(m.value(), value),
        "K": lambda m: _size(m.key()),
        "S": lambda m: _size(m.value()),
        "h": lambda m: _headers(m.headers() or ()),
        "T": lambda m: b"%d" % (m.timestamp()[1] if m.timestamp()[0] else -1),
        "d": lambda m: moment_text(m.timestamp()[1]).encode() if m.timestamp()[0] else b"",
        "%": lambda m: b"%",
    }
    if token not in made:
        raise UsageError(f"--format {text}: %{token} stands for nothing; pko consume --help")
    return made[token]


def _text(made: PayloadFormat | None) -> Text:
    """The bytes as they are, or as the format of the payload shows them."""
    if made is None:
        return lambda data: data
    text = made.text
    return lambda data: text(data).encode()


def _shown(data: bytes | None, text: Text) -> bytes:
    return b"" if data is None else text(data)


def _size(data: bytes | None) -> bytes:
    return b"-1" if data is None else b"%d" % len(data)


def _headers(headers: Sequence[tuple[str, bytes | None]]) -> bytes:
    """``name=value,name=value``; of null nothing stands behind the sign."""
    return b",".join([name.encode() + b"=" + (value or b"") for name, value in headers])
