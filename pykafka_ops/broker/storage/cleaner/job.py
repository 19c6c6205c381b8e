"""What the broker tells the cleaner's process and what it hears back, as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple


class SegmentSource(NamedTuple):
    """A segment to read: bytes of its log, last modification in ms."""

    base_offset: int
    size: int
    modified_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionJob:
    """One compaction of a partition's ``directory``.

    ``segments`` are those below ``first_uncleanable``, oldest first; ``later`` the base offsets
    of the others, whose transaction indexes may name transactions that began below.
    ``position`` is where to begin looking for ``first_dirty`` in its segment. ``producers`` are
    (id, last data offset or -1, epoch) of the active ones. ``rate`` is in bytes per second, 0 for
    no limit; ``memory`` (bytes) and ``load`` are those of the key map.
    """

    directory: str
    segments: list[SegmentSource]
    later: list[int]
    first_dirty: int
    first_uncleanable: int
    position: int
    producers: list[tuple[int, int, int]]
    now: int
    delete_retention_ms: int
    segment_bytes: int
    segment_index_bytes: int
    index_interval_bytes: int
    memory: int = 128 << 20
    load: float = 0.9
    buffer: int = 256 << 10
    rate: float = 0.0

    def to_json(self) -> str:
        """One line."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return json.dumps(values, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str | bytes) -> CompactionJob:
        """What :meth:`to_json` made."""
        values: dict[str, Any] = json.loads(text)
        job = cls(**values)
        return replace(
            job,
            segments=[SegmentSource(*s) for s in values["segments"]],
            producers=[(p[0], p[1], p[2]) for p in values["producers"]],
        )


@dataclass(slots=True)
class CleanedSegment:
    """A finished ``.cleaned`` segment: the base offsets of those it replaces, its size in bytes,
    the modification time (ms) it inherits."""

    replaces: list[int]
    size: int
    modified_ms: int

    @property
    def base_offset(self) -> int:
        """Its own base offset: that of the first it replaces."""
        return self.replaces[0]


@dataclass(slots=True)
class CompactionReport:
    """What a compaction did, in bytes, records and seconds; ``end_offset`` is where the dirty
    part begins now."""

    end_offset: int = 0
    bytes_indexed: int = 0
    bytes_read: int = 0
    bytes_written: int = 0
    keys: int = 0
    keyless: int = 0
    seconds: float = 0.0
    groups: list[int] = field(default_factory=list)
