"""A key or a value: what it was decoded to, or why it was not."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from pykafka_ops.payload.exact_json import write_json

HEX_BYTES: Final = 4096
"""Bytes that are shown of what is no text."""
_STRUCTURE: Final = re.compile(r"[\s{}\[\],:]")
"""What stands between the texts of JSON."""


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

    def contains(self, wanted: re.Pattern[str]) -> bool:
        """Whether a text is in it, of what one may see."""
        if self.data is None:
            return False
        if self.structured and self.format == "json" and self.raw is not None:
            written = self.raw.decode("utf-8", "replace")
            if wanted.search(written) is not None:
                return True
            if "\\" not in written and not _STRUCTURE.search(_literal(wanted)):
                return False  # all texts stand there as they are: no need to write them
        if self.structured or self.raw is None or not self.cut:
            return wanted.search(self.text()) is not None
        in_bytes = re.compile(re.escape(_literal(wanted).encode()), re.IGNORECASE)
        return in_bytes.search(self.raw) is not None

    def without_raw(self) -> DecodedPart:
        """The same, without the bytes."""
        return replace(self, raw=None)


def _literal(pattern: re.Pattern[str]) -> str:
    return re.sub(r"\\(.)", r"\1", pattern.pattern, flags=re.S)


def text_pattern(text: str) -> re.Pattern[str]:
    """What is searched for: this text, upper and lower case alike."""
    return re.compile(re.escape(text), re.IGNORECASE)


def hex_part(data: bytes, error: str = "", schema_id: int | None = None) -> DecodedPart:
    """Bytes that are no text."""
    shown = data[:HEX_BYTES].hex(" ")
    return DecodedPart(
        "hex", shown, len(data), data, schema_id, error=error, cut=len(data) > HEX_BYTES
    )
