"""Responses as plain data, without what differs between any two brokers, and their differences."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from pykafka_ops.wire.message import Field, table_of
from pykafka_ops.wire.types import RECORDS, STRING, UUID, ZERO_UUID
from tests.support.differential.records import is_now, plain_records

NEAR_MS = 600_000
STAMPS = ("log_append_time_ms", "timestamp")
KEYS = (
    "name",
    "topic",
    "resource_type",
    "resource_name",
    "log_dir",
    "key",
    "index",
    "partition",
    "partition_index",
    "partition_id",
    "batch_index",
    "node_id",
    "broker_id",
    "api_key",
    "group_id",
    "member_id",
    "group_instance_id",
    "user",
    "mechanism",
    "feature",
)
OTHERWISE = ("topic_id", "base_offset", "offset", "producer_id")
ORDERED = ("synonyms", "records")
BOUNDS = re.compile(r"(?<=within )\[-?\d+, -?\d+\]")
ABOUT_NOW = re.compile(r"(?<!\d)\d{13}(?!\d)")


class Difference(NamedTuple):
    """One field that differs; ``path`` names it, list entries by their keys."""

    note: str
    path: str
    ours: Any
    theirs: Any

    def __str__(self) -> str:
        return f"{self.note}: {self.path}\n    ours   {self.ours!r}\n    theirs {self.theirs!r}"


class Plain:
    """TimeSlice messages into dicts, lists, numbers and texts that two brokers can agree on.

    ``ids`` are topic names by topic id, ``port`` is the broker's, ``clean`` shortens texts.
    """

    def __init__(self, ids: Mapping[bytes, str], port: int, clean: Callable[[str], str]) -> None:
        self._ids = ids
        self._port = port
        self._clean = clean

    def message(self, value: Any) -> Any:
        """A message or a list of them."""
        if isinstance(value, list):
            return [self.message(each) for each in value]
        if isinstance(value, str):
            return self._clean(value)
        if not hasattr(type(value), "__wire__"):
            return value
        fields = table_of(type(value)).fields
        return {field.name: self._field(field, getattr(value, field.name)) for field in fields}

    def _field(self, field: Field, value: Any) -> Any:
        if value is None:
            return None
        if field.kind is RECORDS:
            return plain_records(bytes(value))
        if field.kind is UUID:
            return [self._id(v) for v in value] if field.array else self._id(value)
        if field.kind is STRING and not field.array:
            return self._text(field.name, value)
        if isinstance(value, int):
            return self._number(field.name, value)
        return self.message(value)

    def _id(self, value: bytes) -> str:
        if value == ZERO_UUID:
            return "none"
        name = self._ids.get(bytes(value))
        return f"id of {self._clean(name)}" if name else bytes(value).hex()

    def _text(self, name: str, value: str) -> str:
        if name == "log_dir":
            return "DIR" if value else ""
        if name == "cluster_id":
            return "CLUSTER" if len(value) == 22 else value
        return ABOUT_NOW.sub(_stamp, BOUNDS.sub("[BOUNDS]", self._clean(value)))

    def _number(self, name: str, value: int) -> Any:
        if name == "port" and value == self._port:
            return "PORT"
        if name == "producer_id" and value >= 0:
            return "ID"
        if name in ("session_id", "total_bytes", "usable_bytes") and value > 0:
            return "POSITIVE"
        if name in STAMPS and is_now(value):
            return "NOW"
        return value


def _stamp(found: re.Match[str]) -> str:
    near = abs(int(found[0]) - time.time() * 1000) < 20 * NEAR_MS
    return "NOW" if near else found[0]


def differences(note: str, ours: Any, theirs: Any, path: str = "") -> Iterator[Difference]:
    """Every field of the plain data that differs; lists of dicts are matched by their keys."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for name in dict.fromkeys([*ours, *theirs]):
            below = f"{path}/{name}" if path else name
            yield from differences(note, ours.get(name), theirs.get(name), below)
    elif isinstance(ours, list) and isinstance(theirs, list) and _keyed(ours + theirs):
        left, right = _by_key(ours), _by_key(theirs)
        if path.rpartition("/")[2] in ORDERED and list(left) != list(right):
            yield Difference(note, f"{path}/order", list(left), list(right))
        for key in dict.fromkeys([*left, *right]):
            yield from differences(note, left.get(key), right.get(key), f"{path}/{key}")
    elif ours != theirs or type(ours) is not type(theirs):
        yield Difference(note, path, ours, theirs)


def _keyed(items: list[Any]) -> bool:
    return bool(items) and all(isinstance(each, dict) for each in items)


def _by_key(items: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """By name or number; the second of the same key gets a ``#2``."""
    seen: Counter[str] = Counter()
    found = {}
    for item in items:
        parts = [str(item[name]) for name in KEYS if item.get(name) not in (None, "")]
        parts = parts or [str(item[name]) for name in OTHERWISE if name in item]
        key = ",".join(parts)
        seen[key] += 1
        found[key if seen[key] == 1 else f"{key}#{seen[key]}"] = item
    return found


def only_named(data: Any, wanted: Callable[[str], bool]) -> Any:
    """Without the list entries whose topic is not ``wanted``."""
    if isinstance(data, dict):
        return {name: only_named(value, wanted) for name, value in data.items()}
    if isinstance(data, list):
        return [only_named(each, wanted) for each in data if _topic_wanted(each, wanted)]
    return data


def _topic_wanted(item: Any, wanted: Callable[[str], bool]) -> bool:
    if not isinstance(item, dict) or "log_dir" in item:
        return True
    name = item.get("topic", item.get("name", item.get("group_id")))
    return not isinstance(name, str) or wanted(name)
