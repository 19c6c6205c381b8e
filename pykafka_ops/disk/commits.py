"""Offset commits in bulk: the records of ``__consumer_offsets`` without an object for each field.

Such a log repeats few keys many times; a key that was seen is known by its bytes.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from contextlib import suppress
from struct import Struct
from typing import NamedTuple

from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.checksum import Buffer
from pykafka_ops.disk.hot.commit_layouts import LEAST_VALUE, Cut, Layouts
from pykafka_ops.disk.internal import OffsetCommitKey, OffsetCommitValue, read_offsets_record
from pykafka_ops.disk.text import java_text
from pykafka_ops.disk.walk import walk
from pykafka_ops.errors import CorruptError

Key = tuple[str, str, int]
"""Group, topic, partition."""

_VALUE = Struct(">hqih")
"""Version, offset, leader epoch, size of the metadata: how a value of version 3 begins."""
_STAMP = Struct(">q")
_COMMITS = (b"\0\0", b"\0\1")
"""How keys of commits begin."""
_MOST_KEYS = 1 << 20
_NEGATIVE = 1 << 15
"""From which length on a name of 16 bits is none."""


class Stored(NamedTuple):
    """A commit; times in ms, offset -1 where it was deleted (then the record's own time)."""

    key: Key
    timestamp: int
    offset: int


class CommitReader:
    """Reads batches one after the other; ``groups`` are those wanted (None: all)."""

    def __init__(self, groups: Container[str] | None = None) -> None:
        self._groups = groups
        self._keys: dict[bytes, Key | None] = {}
        self._layouts = Layouts(lambda size: f"2xq{size - LEAST_VALUE + 6}xq")

    def cut(self, data: bytes, position: int) -> list[Cut]:
        """The next batches from ``position`` on that look like some before: of each record its key,
        the offset and the time. Where there are none, :meth:`read` takes the next one apart."""
        return self._layouts.some(data, position)

    def key(self, raw: bytes) -> Key | None:
        """The key in these bytes, None if it is not one of a commit or not wanted."""
        try:
            return self._keys[raw]
        except KeyError:
            return self._learn_key(raw)

    def learn(self, data: Buffer, position: int, header: BatchHeader) -> None:
        """Have :meth:`cut` know batches like this one, which was read. Raises CorruptBatchError."""
        self._layouts.learn(data, position, header)

    def read(self, data: bytes, header: BatchHeader) -> Iterator[Stored]:
        """The commits in the plain records of a batch; what is none, or not understood, is left
        out. Raises CorruptBatchError for records that are not whole."""
        keys, new = self._keys, Stored
        for _, stamp, _, key_at, key_size, value_at, value_size, _ in walk(data, header):
            if key_size < 0:
                continue
            raw = data[key_at : key_at + key_size]
            key = keys[raw] if raw in keys else self._learn_key(raw)
            if key is None:
                continue
            if value_size < 0:
                yield new(key, stamp, -1)
                continue
            found = _value(data, value_at, value_size, raw)
            if found is not None:
                offset, committed = found
                yield new(key, committed if committed >= 0 else stamp, offset)

    def _learn_key(self, raw: bytes) -> Key | None:
        key = _commit_key(raw)
        if key is not None and self._groups is not None and key[0] not in self._groups:
            key = None
        if len(self._keys) >= _MOST_KEYS:
            self._keys.clear()
        self._keys[raw] = key
        return key


def _commit_key(raw: bytes) -> Key | None:
    """The key of a commit in these bytes; None where they are none."""
    if not raw.startswith(_COMMITS):
        return None
    # there may be very many: where all is as usual, no object is made but for the key
    group_end = 4 + int.from_bytes(raw[2:4], "big")
    name_at = group_end + 2
    topic_end = name_at + int.from_bytes(raw[group_end:name_at], "big")
    if topic_end + 4 == len(raw) and max(group_end - 4, topic_end - name_at) < _NEGATIVE:
        partition = int.from_bytes(raw[topic_end:], "big", signed=True)
        return java_text(raw[4:group_end]), java_text(raw[name_at:topic_end]), partition
    found = None
    with suppress(CorruptError):
        found = read_offsets_record(raw, None).key
    if isinstance(found, OffsetCommitKey):
        return found.group, found.topic, found.partition
    return None


def _value(data: bytes, at: int, size: int, key: bytes) -> tuple[int, int] | None:
    """(offset, commit time in ms) of a value; None if it is not understood."""
    if size >= _VALUE.size + 8:
        version, offset, _, metadata = _VALUE.unpack_from(data, at)
        if version == 3 and 0 <= metadata == size - _VALUE.size - 8:
            return offset, _STAMP.unpack_from(data, at + size - 8)[0]
    try:
        value = read_offsets_record(key, data[at : at + size]).value
    except CorruptError:
        return None
    if not isinstance(value, OffsetCommitValue):
        return None
    return value.offset, value.commit_timestamp
