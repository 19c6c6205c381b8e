"""A log file for dump-log: mapped, sliced, walked batch by batch as ``FileRecords`` does."""

from __future__ import annotations

import mmap
import os
import sys
from collections.abc import Iterator
from struct import Struct

from pykafka_ops.commands.dump_log.java import (
    JavaError,
    corrupt_record,
    illegal_argument,
    kafka_exception,
)
from pykafka_ops.commands.framework.meta_properties import read_meta_properties
from pykafka_ops.errors import CorruptIndexError

#: Bytes of a batch up to its magic, and the least its length can be (a v0 record).
_TO_MAGIC, _OVERHEAD_V0 = 17, 14
_LENGTH = Struct(">i")
_CHUNK = 1 << 20
MAX_INT = 2**31 - 1
#: Bytes of a file from which on it is mapped instead of read.
MAPPED_ABOVE = 32 << 20

Data = bytes | mmap.mmap


class Sink:
    """Standard output in big writes: bytes are collected and written by the megabyte."""

    __slots__ = ("parts", "size")

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0

    def text(self, line: str) -> None:
        """Add a line."""
        self.parts.append(f"{line}\n".encode())

    def grown(self, size: int) -> None:
        """About ``size`` bytes were added; write when that makes a big chunk."""
        self.size += size
        if self.size > _CHUNK:
            self.flush()

    def flush(self) -> None:
        """Write everything out."""
        if self.parts:
            sys.stdout.buffer.write(b"".join(self.parts))
            self.parts.clear()
        self.size = 0
        sys.stdout.buffer.flush()


def load(path: str, *, missing: str = "java.nio.file.NoSuchFileException") -> Data:
    """The bytes of a file; large ones are mapped.

    A broker cuts the zeros off an index while it is open elsewhere: bytes that are gone must not
    be touched, so indexes are read.
    """
    try:
        with open(path, "rb") as file:
            if file.seek(0, 2) <= MAPPED_ABOVE:
                file.seek(0)
                return file.read()
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError:
        raise JavaError(missing, path, f"no such file: {path}") from None
    except IsADirectoryError:
        raise JavaError("java.io.IOException", "Is a directory", f"a directory: {path}") from None
    except OSError as e:
        raise JavaError("java.nio.file.FileSystemException", f"{path}: {e.strerror}") from None


def written_by_kraft(path: str) -> bool:
    """Whether a log lies in a log directory of KRaft, by its ``meta.properties``; False where that
    is not there."""
    directory = os.path.dirname(os.path.dirname(os.path.abspath(path)))
    try:
        return read_meta_properties(directory).version == 1
    except (OSError, CorruptIndexError):
        return False


class LogFile:
    """A log, by its path as messages show it."""

    __slots__ = ("data", "name", "size")

    def __init__(self, name: str) -> None:
        self.data = load(name)
        self.name = name
        self.size = len(self.data)

    @classmethod
    def of(cls, data: Data, name: str) -> LogFile:
        """Bytes at hand, as if they were the file ``name``."""
        log = cls.__new__(cls)
        log.data, log.name, log.size = data, name, len(data)
        return log

    def slice_end(self, position: int, size: int) -> int:
        """Where a slice of ``size`` bytes from ``position`` ends (``FileRecords.slice``)."""
        whole = f"FileRecords(size={self.size}, file={self.name}, start=0, end={MAX_INT})"
        if position < 0:
            raise illegal_argument(f"Invalid position: {position} in read from {whole}")
        if position > self.size:
            raise illegal_argument(
                f"Slice from position {position} exceeds end position of {whole}"
            )
        if size < 0:
            raise illegal_argument(f"Invalid size: {size} in read from {whole}")
        return min(position + size, self.size)

    def batches(self, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """(position, size, magic) of every whole batch, as ``FileLogInputStream`` finds them.

        Raises JavaError at a length no batch can have.
        """
        data, unpack, position = self.data, _LENGTH.unpack_from, start
        while position < end - _TO_MAGIC:
            (size,) = unpack(data, position + 8)
            if size < _OVERHEAD_V0:
                raise corrupt_record(
                    f"Found record size {size} smaller than minimum record overhead "
                    f"({_OVERHEAD_V0}) in file {self.name}."
                )
            if position > end - 12 - size:
                return
            magic = data[position + 16]
            yield position, size + 12, magic - 256 if magic > 127 else magic
            position += size + 12

    def header_bytes(self, position: int, size: int) -> bytes:
        """``size`` bytes for a header, which may reach beyond a batch that is too small."""
        found = self.data[position : position + size]
        if len(found) < size:
            whole = f"FileRecords(size={self.size}, file={self.name}, start=0, end={MAX_INT})"
            raise kafka_exception(
                f"Failed to load record batch at position {position} from {whole}"
            )
        return found
