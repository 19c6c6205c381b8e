"""A key or a value: what it was decoded to, or why it was not."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from pykafka_ops.payload.exact_json import write_json

HEX_BYTES: Final = 4096
"""Bytes that are shown of what is no text."""
_SLICE: Final = 1 << 20
"""Bytes that are made lower case at a time."""
_STRUCTURE: Final = re.compile(r"[\s{}\[\],:]")
"""What stands between the texts of JSON."""


class SoughtText:
    """What is searched for: this text, upper and lower case alike.

    It takes time in proportion to what is searched, whatever the text is: a pattern would look at
    each byte of a long run again for each of its own.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._folded = text.casefold()
        self._bytes = text.encode("utf-8", "surrogatepass").lower()

    def is_in(self, text: str) -> bool:
        """Whether a text has it."""
        return self._folded in text.casefold()

    def is_in_bytes(self, data: bytes) -> bool:
        """Whether bytes have it, in UTF-8; there only letters of ASCII are alike."""
        step = _SLICE + len(self._bytes) - 1
        starts = range(0, max(1, len(data)), _SLICE)
        return any(self._bytes in data[at : at + step].lower() for at in starts)


@dataclass(frozen=True, slots=True)
class DecodedPart:
    """``data``: a text, or the fields of a structured value; None for null.

    ``error``: why it could not be decoded, in one line; ``raw``: the bytes, None once a mask
    covers them; ``cut``: ``data`` is the beginning only.
    """

    format: str
    data: object
    size: int | None
    raw: bytes | None = None
    schema_id: int | None = None
    schema: str = ""
    error: str = ""
    masked: bool = False
    cut: bool = False

    @property
    def structured(self) -> bool:
        """Whether it has fields."""
        return isinstance(self.data, dict | list)

    def text(self, most: int | None = None, indent: int = 0) -> str:
        """In one text; about ``most`` characters of it."""
        if self.data is None:
            return "null"
        if isinstance(self.data, str) and self.format != "json":
            return self.data if most is None else self.data[: most + 1]
        return write_json(self.data, indent, most)

    def contains(self, wanted: SoughtText) -> bool:
        """Whether a text is in it, of what one may see."""
        if self.data is None:
            return False
        if self.structured and self.format == "json" and self.raw is not None:
            written = self.raw.decode("utf-8", "replace")
            if wanted.is_in(written):
                return True
            if "\\" not in written and not _STRUCTURE.search(wanted.text):
                return False  # all texts stand there as they are: no need to write them
        if self.structured or self.raw is None or not self.cut:
            return wanted.is_in(self.text())
        return wanted.is_in_bytes(self.raw)

    def without_raw(self) -> DecodedPart:
        """The same, without the bytes."""
        return replace(self, raw=None)


def hex_part(data: bytes, error: str = "", schema_id: int | None = None) -> DecodedPart:
    """Bytes that are no text."""
    shown = data[:HEX_BYTES].hex(" ")
    return DecodedPart(
        "hex", shown, len(data), data, schema_id, error=error, cut=len(data) > HEX_BYTES
    )
