"""Reading a partition of ``__consumer_offsets`` into a shard: the last record of each key counts.

Commits of one key follow one another by the thousand, so outside transactions only the last value
of each is kept and taken apart at the end. A value that cannot be read never replaces one that can.
Commits as Kafka 3.9 writes them are taken apart here; the tables of records read all others.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice, repeat
from struct import Struct

from pykafka_ops.broker.state.groups.records import (
    NEVER,
    Entry,
    OffsetAndMetadata,
    OffsetRecord,
    decode_entry,
)
from pykafka_ops.broker.state.outcome import Skimmed
from pykafka_ops.broker.state.replay import LeftOut, replay_each
from pykafka_ops.disk.batch import BatchHeader
from pykafka_ops.disk.compression import DECOMPRESSED_LIMIT
from pykafka_ops.disk.hot.commit_layouts import LEAST_VALUE, Layouts
from pykafka_ops.disk.record import payload
from pykafka_ops.disk.text import java_text
from pykafka_ops.disk.walk import walk
from pykafka_ops.errors import CorruptError

Apply = Callable[[Entry, int, int], None]
"""The entry, the base offset of its batch, the producer id of its transaction (-1: none)."""
Decode = Callable[[bytes, bytes | None], "Entry | None"]
"""Key and value to a record, None for those that are nobody's."""
Put = Callable[[str, tuple[str, int], OffsetAndMetadata | None, int], None]
"""Group, topic and partition, the offset, which knows its batch (None: it is no more), and the
producer id as above."""

_COMMIT_KEY, _COMMIT_VALUE = b"\0\1", b"\0\3"
"""How keys and values of commits begin, as Kafka 3.9 writes them."""
_SIZE = Struct(">h")
_PARTITION = Struct(">i")
_HEAD = Struct(">2xqih")
"""Offset, leader epoch, size of the metadata."""
_TIME = Struct(">q")
_METADATA_SIZE = Struct(">14xh")
_MOST_TOPICS = 1 << 14
_MOST = 1 << 18
"""Keys kept until the end; of more, some are applied before."""
_SOME = 1 << 10
_GROUP_AT = 4
_LEAST_KEY = 10
_new = tuple.__new__
_ONE = 2
"""Fields of a batch with one commit."""


class Loading:
    """What was read and not applied yet; ``apply``, ``put`` and ``decode`` are the shard's."""

    def __init__(self, apply: Apply, put: Put, decode: Decode = decode_entry) -> None:
        self._apply, self._put, self._decode = apply, put, decode
        self._topics: dict[bytes, str] = {}
        """One text for all places in a topic."""
        self._latest: dict[bytes, tuple[bytes | None, int]] = {}
        self._layouts = Layouts("{}s".format)

    def skim(self, data: bytes, position: int) -> Skimmed | None:
        """Take over the batches from ``position`` on that look like some before; None: there is
        none."""
        latest, count, done = self._latest, 0, None
        known = latest.__contains__
        for cut in self._layouts.cut(data, position):
            base, *fields = cut[2]
            if len(fields) == _ONE:
                key, value = fields
                if key not in latest and not _names_commit(key):
                    break
                latest[key] = value, base
                count += 1
            else:
                keys = fields[0::2]
                if not all(map(known, keys)) and not all(map(_names_commit, keys)):
                    break
                latest.update(zip(keys, zip(fields[1::2], repeat(base)), strict=False))
                count += len(keys)
            done = cut
            if len(latest) > _MOST:
                self.settle(len(latest) - _MOST + _SOME)
        return None if done is None else Skimmed(done[0], done[2][0] + done[1] + 1, count)

    def read(self, data: bytes, position: int, header: BatchHeader, left_out: LeftOut) -> int:
        """Take over any batch of records; how many there were.

        Raises CorruptBatchError for records that are not whole.
        """
        plain = payload(data, position, header, DECOMPRESSED_LIMIT)
        if header.is_transactional:  # counts once it is committed: in the log's order
            return replay_each(self._decode, self._apply, plain, header, left_out)
        count = self._walk(plain, header, left_out)
        self._layouts.learn(data, position, header)
        if len(self._latest) > _MOST:
            self.settle(len(self._latest) - _MOST + _SOME)
        return count

    def _walk(self, data: bytes, header: BatchHeader, left_out: LeftOut) -> int:
        latest, base, count = self._latest, header.base_offset, 0
        for offset, _, _, key_at, key_size, value_at, value_size, _ in walk(data, header):
            if key_size < 0:
                continue
            key = data[key_at : key_at + key_size]
            value = data[value_at : value_at + value_size] if value_size >= 0 else None
            if not ((key in latest or _names_commit(key)) and _is_usual(value)):
                try:
                    entry = self._decode(key, value)
                except CorruptError as error:
                    left_out(offset, error)
                    continue
                if entry is None:
                    continue
                count += 1
                if not isinstance(entry, OffsetRecord):  # too costly to decode once more
                    self._apply(entry, base, -1)
                    continue
            else:
                count += 1
            latest[key] = value, base
        return count

    def settle(self, most: int | None = None) -> bool:
        """Apply the last value of the keys read first (None: of all); whether there are more."""
        latest = self._latest
        for key in list(islice(latest, most)):
            value, base = latest.pop(key)
            if _names_commit(key) and _is_usual(value):
                self._put_usual(key, value, base)
                continue
            entry = self._decode(key, value)
            if entry is not None:
                self._apply(entry, base, -1)
        return bool(latest)

    def _put_usual(self, key: bytes, value: bytes | None, base: int) -> None:
        end = _GROUP_AT + _SIZE.unpack_from(key, 2)[0]
        raw = key[end + 2 : -_PARTITION.size]
        topic = self._topics.get(raw)
        if topic is None:
            if len(self._topics) >= _MOST_TOPICS:
                self._topics.clear()
            topic = self._topics[raw] = java_text(raw)
        (partition,) = _PARTITION.unpack_from(key, len(key) - _PARTITION.size)
        found = None
        if value is not None:
            offset, epoch, size = _HEAD.unpack_from(value)
            note = java_text(value[_HEAD.size : -_TIME.size]) if size else ""
            (time,) = _TIME.unpack_from(value, len(value) - _TIME.size)
            found = _new(OffsetAndMetadata, (offset, epoch, note, time, NEVER, base))
        self._put(java_text(key[_GROUP_AT:end]), (topic, partition), found, -1)

    def forget(self) -> None:
        """Nothing more is to be read: what was learned for that takes memory."""
        self._topics.clear()
        self._layouts = Layouts("{}s".format)


def _names_commit(key: bytes) -> bool:
    """Whether this is a whole key of a commit, as Kafka 3.9 writes it."""
    if not key.startswith(_COMMIT_KEY) or len(key) < _LEAST_KEY:
        return False
    (size,) = _SIZE.unpack_from(key, 2)
    left = len(key) - _LEAST_KEY - size
    return bool(size >= 0 <= left == _SIZE.unpack_from(key, _GROUP_AT + size)[0])


def _is_usual(value: bytes | None) -> bool:
    """Whether this is a whole value of a commit, as Kafka 3.9 writes it, or none."""
    if value is None:
        return True
    if not value.startswith(_COMMIT_VALUE):
        return False
    left = len(value) - LEAST_VALUE
    return left >= 0 and _METADATA_SIZE.unpack_from(value)[0] == left
