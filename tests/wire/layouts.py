"""What other libraries say a message looks like, in one form that can be compared.

A layout is a list of ``(name, type, nullable, inner layout)`` in wire order, tagged fields (with
their tags in the name) behind the others. Types are Kafka's names, "[]" before those of arrays.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pykafka_ops.wire.message import Field, table_of
from pykafka_ops.wire.types import Scalar

Layout = list[tuple[str, str, bool, Any]]


def snake(name: str) -> str:
    """``isKRaftController`` -> ``is_kraft_controller``."""
    name = name.replace("KRaft", "Kraft")
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def ours(cls: type, version: int) -> Layout:
    """The layout of one of our classes in one version."""
    plain, tagged = [], []
    for field in table_of(cls).fields:
        if field.exists(version):
            is_tagged = field.is_tagged(version)
            name = f"{field.tag}:{field.name}" if is_tagged else field.name
            inner = None if isinstance(field.kind, Scalar) else ours(field.kind, version)
            nullable = field.may_be_null(version)
            row = (name, ("[]" if field.array else "") + _type(field), nullable, inner)
            (tagged if is_tagged else plain).append(row)
    return plain + sorted(tagged)


def _type(field: Field) -> str:
    return field.kind.name if isinstance(field.kind, Scalar) else "struct"


def in_range(text: str | None, version: int) -> bool:
    """Whether ``version`` is within Kafka's notation for version ranges."""
    if text is None or text == "none":
        return False
    first, dash, last = text.rstrip("+").partition("-")
    return int(first) <= version and (text.endswith("+") or version <= int(last if dash else first))


def of_json(
    fields: list[dict[str, Any]], version: int, common: Mapping[str, list[dict[str, Any]]] = {}
) -> Layout:
    """The layout that Kafka's JSON (as a parsed list of fields) gives for one version; ``common``:
    the fields of structs that stand elsewhere, by name."""
    plain, tagged = [], []
    for field in fields:
        if in_range(field["versions"], version):
            is_tagged = in_range(field.get("taggedVersions"), version)
            name = snake(field["name"])
            array = field["type"].startswith("[]")
            base = field["type"].removeprefix("[]")
            inner = None
            if base[0].isupper():
                inner = of_json(field.get("fields") or common[base], version, common)
            kind = ("[]" if array else "") + (base if inner is None else "struct")
            nullable = in_range(field.get("nullableVersions"), version)
            row = (f"{field['tag']}:{name}" if is_tagged else name, kind, nullable, inner)
            (tagged if is_tagged else plain).append(row)
    return plain + sorted(tagged)
