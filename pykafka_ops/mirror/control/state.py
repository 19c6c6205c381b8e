"""Records of the control topic, and what they add up to. Pure.

Key and value are JSON. ``{"kind": "pause"}`` with ``"topics": REGEX`` or ``"topic"`` and
``"partition"`` of the source, or without both: the whole link. ``{"kind": "topic", "topic": T}``
for a topic of the target, ``{"kind": "source"}`` for the cluster that is mirrored. A null value
takes back what was said.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

MIRRORED: Final = "mirrored"
PROMOTED: Final = "promoted"
MOST: Final = 64 << 10
"""Bytes of a key or value that are read."""
Entry = tuple[bytes, bytes | None]
"""Key and value of a record."""


class MirrorPause(NamedTuple):
    """What is paused, in names of the source: all where nothing is named."""

    topics: str | None = None
    """A regular expression that matches whole names."""
    topic: str | None = None
    partition: int = -1

    def concerns(self, topic: str, partition: int) -> bool:
        """Whether a partition of the source is meant."""
        if self.topic is not None:
            return self.topic == topic and self.partition in (-1, partition)
        return self.topics is None or _matches(self.topics, topic)

    def __str__(self) -> str:
        if self.topic is not None:
            return self.topic if self.partition < 0 else f"{self.topic}-{self.partition}"
        return "the link" if self.topics is None else f"topics {self.topics}"


class TopicOrigin(NamedTuple):
    """A topic of the target: the ids (hex) of the topic at the source that is copied into it and of
    itself, "" where a broker has none; ``state`` is PROMOTED once it is the target's own."""

    state: str
    source_id: str = ""
    target_id: str = ""


class ControlState:
    """What the records say, the newest of each key."""

    def __init__(self) -> None:
        self.pauses: dict[MirrorPause, dict[str, Any]] = {}
        self.topics: dict[str, TopicOrigin] = {}
        self.source_cluster: str | None = None
        """The id of the cluster that was mirrored so far; None: nobody said."""

    def snapshot(self) -> ControlState:
        """As it is now, for another thread."""
        made = ControlState()
        made.pauses, made.topics = dict(self.pauses), dict(self.topics)
        made.source_cluster = self.source_cluster
        return made

    def take(self, records: Iterable[tuple[bytes | None, bytes | None]]) -> None:
        """Add records in their order. What cannot be read is left out: it is not ours."""
        for key, value in records:
            if key is not None and len(key) <= MOST and len(value or b"") <= MOST:
                self._take(_parsed(key), None if value is None else _parsed(value))

    def _take(self, key: dict[str, Any], value: dict[str, Any] | None) -> None:
        match key:
            case {"kind": "pause"}:
                pause = _pause(key)
                self.pauses.pop(pause, None)
                if value is not None:
                    self.pauses[pause] = value
            case {"kind": "topic", "topic": str(topic)}:
                self.topics.pop(topic, None)
                if value is not None:
                    self.topics[topic] = _origin(value)
            case {"kind": "source"}:
                found = value.get("cluster") if value else None
                self.source_cluster = found if isinstance(found, str) else None

    def paused(self, topic: str, partition: int) -> MirrorPause | None:
        """The pause that holds a partition of the source back; None: it is not paused."""
        return next((p for p in self.pauses if p.concerns(topic, partition)), None)

    def is_paused(self) -> bool:
        """Whether the whole link is."""
        return MirrorPause() in self.pauses

    def made_here(self, topic: str) -> bool:
        """Whether a topic of the target is a mirrored one."""
        origin = self.topics.get(topic)
        return origin is not None and origin.state == MIRRORED


def pause_entry(pause: MirrorPause, now_ms: int, *, by: str) -> Entry:
    """The record that pauses."""
    return _key(kind="pause", **_named(pause)), _json(at=now_ms, by=by)


def resume_entry(pause: MirrorPause) -> Entry:
    """The record that takes a pause back."""
    return _key(kind="pause", **_named(pause)), None


def origin_entry(topic: str, origin: TopicOrigin) -> Entry:
    """The record that says where a topic of the target comes from."""
    value = _json(state=origin.state, source_id=origin.source_id, target_id=origin.target_id)
    return _key(kind="topic", topic=topic), value


def forgotten_entry(topic: str) -> Entry:
    """The record that says that a topic is no more."""
    return _key(kind="topic", topic=topic), None


def source_entry(cluster_id: str) -> Entry:
    """The record that says which cluster is mirrored."""
    return _key(kind="source"), _json(cluster=cluster_id)


def _matches(pattern: str, name: str) -> bool:
    try:
        return re.fullmatch(pattern, name) is not None
    except re.error:
        return False


def _named(pause: MirrorPause) -> dict[str, Any]:
    if pause.topic is not None:
        return {"topic": pause.topic, "partition": pause.partition}
    return {} if pause.topics is None else {"topics": pause.topics}


def _pause(key: dict[str, Any]) -> MirrorPause:
    topic, partition, topics = key.get("topic"), key.get("partition", -1), key.get("topics")
    if isinstance(topic, str) and isinstance(partition, int):
        return MirrorPause(topic=topic, partition=partition)
    return MirrorPause(topics if isinstance(topics, str) else None)


def _origin(value: dict[str, Any]) -> TopicOrigin:
    texts = [str(value.get(name) or "") for name in ("state", "source_id", "target_id")]
    return TopicOrigin(*texts)


def _parsed(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _key(**parts: Any) -> bytes:
    return _json(**parts)


def _json(**parts: Any) -> bytes:
    """Always the same bytes for the same parts: compaction goes by them."""
    return json.dumps(parts, sort_keys=True, separators=(",", ":")).encode()
