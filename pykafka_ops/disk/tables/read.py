"""The tables of this folder as structs that :mod:`pykafka_ops.disk.schema` reads and writes.

A line without indentation begins a record: its number, name, versions, and from which version on it
is flexible. A field's line has name, type and versions, then what is unusual: the versions in which
it may be null, ``tag=NUMBER:VERSIONS``, its default. Fields of a struct stand below it, further in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from pykafka_ops.disk.schema import DEFAULTS, NEVER, RecordField, RecordStruct

_INDENT = "  "


class TabledRecord(NamedTuple):
    """One record: its name in Kafka's sources, the highest version known, its struct."""

    name: str
    highest: int
    struct: type[RecordStruct]


@cache
def record_table(name: str) -> RecordTable:
    """The table of a module of this folder."""
    text: str = import_module(f"pykafka_ops.disk.tables.{name}").TABLE
    return RecordTable(text)


class RecordTable:
    """The records of one table by number; structs are made when they are asked for."""

    def __init__(self, text: str) -> None:
        self._texts: dict[tuple[int, str], list[str]] = {}
        self._made: dict[tuple[int, str], TabledRecord] = {}
        lines: list[str] = []
        for line in text.strip().splitlines():
            if not line.startswith(_INDENT):
                number, name, *_ = line.split()
                end = re.search("Key$|Value$", name)
                lines = self._texts[int(number), end[0].lower() if end else ""] = []
            lines.append(line)

    def __contains__(self, number: int) -> bool:
        return (number, "") in self._texts or (number, "key") in self._texts

    def __iter__(self) -> Iterator[int]:
        """The numbers, each once."""
        return iter(dict.fromkeys(number for number, _ in self._texts))

    def find(self, number: int, part: str = "") -> TabledRecord:
        """A record, or with ``part`` its "key" or "value"; it is in the table."""
        place = (number, part)
        found = self._made.get(place)
        if found is None:
            found = self._made[place] = _record(self._texts[place])
        return found


def _record(lines: list[str]) -> TabledRecord:
    _, name, versions, flexible = lines[0].split()
    first = flexible.removeprefix("flexible=").removesuffix("+")
    struct, _ = _struct(name, NEVER if first == "none" else int(first), lines, 1, 1)
    return TabledRecord(name, _range(versions)[1], struct)


def _struct(
    name: str, flexible: int, lines: list[str], at: int, depth: int
) -> tuple[type[RecordStruct], int]:
    """The struct of the fields from line ``at`` on that are so far in, and the line behind them."""
    fields: list[RecordField] = []
    while at < len(lines) and lines[at].startswith(_INDENT * depth):
        words = lines[at].split()
        at += 1
        kind: str | type[RecordStruct] = words[1].removeprefix("[]")
        if words[1].removeprefix("[]")[0].isupper():
            kind, at = _struct(words[1].removeprefix("[]"), flexible, lines, at, depth + 1)
        fields.append(_field(words, kind))
    body: dict[str, Any] = {
        "__slots__": tuple(field.attr for field in fields),
        "__init__": _fill,
        "FIELDS": tuple(fields),
        "FLEXIBLE": flexible,
    }
    return type(name, (RecordStruct,), body), at


def _fill(self: RecordStruct, **values: Any) -> None:
    for field in self.FIELDS:
        setattr(self, field.attr, values.get(field.attr, field.default))


def _field(words: list[str], kind: str | type[RecordStruct]) -> RecordField:
    name, typed, versions, *rest = words
    more = dict(word.split("=", 1) for word in rest)
    tag, _, tagged = more.get("tag", "").partition(":")
    first, last = _range(tagged or versions)
    attr = name[0].lower() + name[1:]
    many = typed.startswith("[]")
    default = _default(more.get("default"), kind, many)
    if tag and not (many or isinstance(kind, str)):
        default = kind()  # written as null where it is null, left out where it is like new
    return RecordField(
        attr=attr,
        kind=kind,
        many=many,
        first=first,
        last=last,
        nullable=_range(more["null"])[0] if "null" in more else NEVER,
        tag=int(tag) if tag else None,
        default=default,
        name=attr,
    )


def _default(text: str | None, kind: str | type[RecordStruct], many: bool) -> Any:
    if text == "null":
        return None
    if many:
        return []
    if not isinstance(kind, str):
        return None
    if kind == "bool":
        return text == "true"
    if kind in DEFAULTS:
        return DEFAULTS[kind] if text is None else text
    return int(text or "0", 0)


def _range(versions: str) -> tuple[int, int]:
    """First and last of ``2``, ``0-4`` or ``1+``."""
    first, _, last = versions.removesuffix("+").partition("-")
    return int(first), NEVER if versions.endswith("+") else int(last or first)
