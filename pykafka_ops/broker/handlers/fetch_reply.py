"""Answers to Fetch requests whose partitions could all be read, packed from what is the same in
all of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from struct import Struct
from typing import Any

from pykafka_ops.broker.hot.fetch import READERS_FROM, SESSIONS_FROM, Read
from pykafka_ops.wire.fetch_partitions import FLEXIBLE, IDS_FROM
from pykafka_ops.wire.types import Part
from pykafka_ops.wire.varint import varint

MOST_KNOWN = 256
"""Topics whose names are kept as answers have them."""
_NO_ERROR = 0
_NOT_THROTTLED = 0
_NO_READER = -1
_NULL, _NONE = -1, 0
"""Aborted transactions of those who have not asked for them, and of those who have; where lengths
are compact, one more."""
_COUNT = Struct(">i")
_LENGTH = Struct(">h")
_NO_TAGS = b"\0"
_ALL_NO_TAGS = _NO_TAGS * 3
"""Of partition, topic and answer."""
_HEAD = Struct(">iii")
"""Length of the frame, correlation id, throttle time."""
_FLEXIBLE_HEAD = Struct(">iixi")
"""The same with the header's tags."""
_SESSION = Struct(">hi")


class FetchReply:
    """Answers of one version; ``committed`` says that they have a list of aborted transactions."""

    __slots__ = ("_flexible", "_known", "_layout", "_null", "_pack_partition", "_version")

    def __init__(self, version: int, *, committed: bool) -> None:
        self._version = version
        self._flexible = version >= FLEXIBLE
        self._null = (_NONE if committed else _NULL) + self._flexible
        if version >= FLEXIBLE:
            self._layout = "ihqqqBi"
        elif version >= READERS_FROM:
            self._layout = "ihqqqiii"
        else:
            self._layout = "ihqqqii" if version > 4 else "ihqqii"
        self._pack_partition = Struct(f">{self._layout}").pack
        self._known: dict[Any, tuple[Struct, bytes]] = {}
        """How answers with one partition of a topic begin: all of it, and what names the topic."""

    def parts(
        self, correlation_id: int, session_id: int, reads: Sequence[Read]
    ) -> tuple[list[Part], int]:
        """The frame, and its bytes."""
        if len(reads) == 1 and self._version >= READERS_FROM:
            return self._one(correlation_id, session_id, reads[0])
        topics: dict[Any, list[Read]] = {}
        for read in reads:
            topics.setdefault(read[0][0], []).append(read)
        flexible = self._flexible
        text = varint(len(topics) + 1) if flexible else _COUNT.pack(len(topics))
        if self._version >= SESSIONS_FROM:
            text = _SESSION.pack(_NO_ERROR, session_id) + text
        parts, tags = list[Part](), _NO_TAGS if flexible else b""
        for topic, some in topics.items():
            text += self._topic(topic, len(some))
            for read in some:
                text += self._partition(read)
                if read[7]:
                    data = read[8]
                    parts += [text, *data] if type(data) is list else [text, data]
                    text = b""
                text += tags
            text += tags
        text += tags
        if text:
            parts.append(text)
        head = _FLEXIBLE_HEAD if flexible else _HEAD
        size = sum(map(len, parts)) + head.size
        first: Any = parts[0]
        parts[0] = head.pack(size - 4, correlation_id, _NOT_THROTTLED) + first
        return parts, size

    def _one(self, correlation_id: int, session_id: int, read: Read) -> tuple[list[Part], int]:
        """The same with one partition."""
        key, _, _, high_watermark, stable, start, _, length, data = read
        topic, index = key
        begin, name = self._known.get(topic) or self._learn(topic)
        size = begin.size + length
        same = (correlation_id, _NOT_THROTTLED, _NO_ERROR, session_id, name, index, _NO_ERROR)
        offsets = (high_watermark, stable, start)
        if self._flexible:
            more = varint(length + 1)
            size += len(more) + len(_ALL_NO_TAGS)
            text = begin.pack(size - 4, *same, *offsets, self._null, _NO_READER) + more
            parts: list[Part] = [text, _ALL_NO_TAGS]
        else:
            parts = [begin.pack(size - 4, *same, *offsets, self._null, _NO_READER, length)]
        if length:
            parts[1:1] = data if type(data) is list else [data]
        return parts, size

    def _learn(self, topic: Any) -> tuple[Struct, bytes]:
        name = self._topic(topic, 1)
        name = (varint(2) if self._flexible else _COUNT.pack(1)) + name
        layout = f">ii{'x' * self._flexible}ihi{len(name)}s{self._layout}"
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        found = self._known[topic] = Struct(layout), name
        return found

    def _topic(self, topic: Any, count: int) -> bytes:
        """What stands before ``count`` partitions of a topic."""
        if self._version >= IDS_FROM:
            name: bytes = topic + varint(count + 1)
            return name
        name = topic.encode()
        if self._flexible:
            return varint(len(name) + 1) + name + varint(count + 1)
        return _LENGTH.pack(len(name)) + name + _COUNT.pack(count)

    def _partition(self, read: Read) -> bytes:
        """What stands before the records of a partition."""
        key, _, _, high_watermark, stable, start, _, size, _ = read
        pack, index, null = self._pack_partition, key[1], self._null
        if self._flexible:
            head = pack(index, _NO_ERROR, high_watermark, stable, start, null, _NO_READER)
            return head + varint(size + 1)
        if self._version >= READERS_FROM:
            return pack(index, _NO_ERROR, high_watermark, stable, start, null, _NO_READER, size)
        if self._version > 4:
            return pack(index, _NO_ERROR, high_watermark, stable, start, null, size)
        return pack(index, _NO_ERROR, high_watermark, stable, null, size)


reply_of = cache(FetchReply)
