"""Types by the names that SQL has for them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pyarrow as pa

from pykafka_ops.spark.schemas import array_of, columns

_SYNONYMS = {"long": "bigint"}


@cache
def named_type(text: str) -> pa.DataType:
    """The type of ``bigint``, ``array<struct<at:bigint,offset:bigint>>``; KeyError if unknown."""
    kind, _, rest = text.partition("<")
    inner = rest.removesuffix(">")
    if kind == "array":
        return array_of(named_type(inner))
    if kind == "struct":
        pairs = (part.partition(":") for part in _parts(inner))
        return pa.struct([(name, named_type(of)) for name, _, of in pairs])
    return columns(f"x {_SYNONYMS.get(text, text)}").field(0).type


def _parts(text: str) -> Iterator[str]:
    """What stands between the outer commas."""
    depth, start = 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "<") - (letter == ">")
        if letter == "," and not depth:
            yield text[start:at]
            start = at + 1
    yield text[start:]
