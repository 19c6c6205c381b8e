"""The partitions of a Fetch request, read straight from its bytes."""

from __future__ import annotations

from struct import Struct
from typing import Any

from pykafka_ops.wire.varint import read_varint

EPOCHS_FROM = 9
"""Since which version requests name leader epochs."""
FLEXIBLE = 12
"""First version with compact lengths, tagged fields and the epoch of the last record."""
IDS_FROM = 13
NOWHERE = -1

_COUNT = Struct(">i")
_LENGTH = Struct(">h")
_ID_SIZE = 16
_LAYOUTS = (
    (FLEXIBLE, Struct(">iiqiqi")),
    (EPOCHS_FROM, Struct(">iiqqi")),
    (5, Struct(">iqqi")),
    (4, Struct(">iqi")),
)
"""Of a partition in a request, by the version that brought it."""

Key = tuple[Any, int]
"""A partition as the client names it: name or id of its topic, number."""
Asked = tuple[Key, tuple[int, ...]]
"""A partition of a request: leader epoch, offset, epoch of the last record, log start, bytes."""


class FetchPartitions:
    """Reads those of requests of one version (4 and newer), ``most`` of them. The last request for
    one partition is remembered: the next one names the same topic, mostly."""

    __slots__ = ("_flexible", "_most", "_name", "_named", "_unpack", "_version")

    def __init__(self, version: int, most: int) -> None:
        self._version = version
        self._flexible = version >= FLEXIBLE
        self._most = most
        self._unpack = next(layout for since, layout in _LAYOUTS if version >= since)
        self._name: Any = ""
        self._named = b""
        """What names the topic of the last request for one partition, and the bytes of it."""

    def read(self, frame: memoryview, at: int) -> tuple[list[Asked], int]:
        """The partitions from the number of topics at ``at`` on, and what follows them.

        Raises IndexError, ``struct.error``, UnicodeDecodeError or WireError where it has no such
        partitions, more than there may be, or tags.
        """
        named = self._named
        if not named or frame[at : at + len(named)] != named:
            return self._all(frame, at)
        at += len(named)
        fields = self._unpack.unpack_from(frame, at)
        at += self._unpack.size
        if not self._flexible:
            return [((self._name, fields[0]), self._fields(fields))], at
        if frame[at] or frame[at + 1]:
            raise IndexError
        return [((self._name, fields[0]), fields[1:])], at + 2

    def _all(self, frame: memoryview, at: int) -> tuple[list[Asked], int]:
        """As :meth:`read`, of any topics."""
        asked, end = (self._compact if self._flexible else self._plain)(frame, at)
        topics = frame[at] - 1 if self._flexible else _COUNT.unpack_from(frame, at)[0]
        if topics == len(asked) == 1:
            more = self._unpack.size + (2 if self._flexible else 0)
            self._name, self._named = asked[0][0][0], bytes(frame[at : end - more])
        return asked, end

    def _fields(self, fields: tuple[int, ...]) -> tuple[int, ...]:
        """Those of a partition in versions without the last epoch."""
        if self._version >= EPOCHS_FROM:
            _, epoch, offset, log_start, size = fields
            return epoch, offset, NOWHERE, log_start, size
        if self._version > 4:
            _, offset, log_start, size = fields
            return NOWHERE, offset, NOWHERE, log_start, size
        _, offset, size = fields
        return NOWHERE, offset, NOWHERE, NOWHERE, size

    def _plain(self, frame: memoryview, at: int) -> tuple[list[Asked], int]:
        """The same where lengths are not compact."""
        asked: list[Asked] = []
        unpack = self._unpack
        (topics,) = _COUNT.unpack_from(frame, at)
        at += 4
        if topics < 0:
            raise IndexError
        for _ in range(topics):
            (length,) = _LENGTH.unpack_from(frame, at)
            start = at + 2
            at = start + length
            name = str(frame[start:at], "utf-8")
            (count,) = _COUNT.unpack_from(frame, at)
            at += 4
            if length < 0 or not 0 <= count <= self._most - len(asked):
                raise IndexError
            for _ in range(count):
                fields = unpack.unpack_from(frame, at)
                at += unpack.size
                asked.append(((name, fields[0]), self._fields(fields)))
        return asked, at

    def _compact(self, frame: memoryview, at: int) -> tuple[list[Asked], int]:
        """The same where they are, and there are tags, none of which is known."""
        asked: list[Asked] = []
        unpack, by_id = self._unpack, self._version >= IDS_FROM
        topics, at = read_varint(frame, at)
        if not topics:
            raise IndexError
        for _ in range(topics - 1):
            if by_id:
                start = at
                at += _ID_SIZE
                name: Any = bytes(frame[start:at])
            else:
                length, start = read_varint(frame, at)
                at = start + length - 1
                if not length:
                    raise IndexError
                name = str(frame[start:at], "utf-8")
            count, at = read_varint(frame, at)
            if not 0 < count <= self._most - len(asked):
                raise IndexError
            for _ in range(count - 1):
                index, epoch, offset, last, log_start, size = unpack.unpack_from(frame, at)
                at += unpack.size
                if frame[at]:
                    raise IndexError
                at += 1
                asked.append(((name, index), (epoch, offset, last, log_start, size)))
            if frame[at]:
                raise IndexError
            at += 1
        return asked, at
