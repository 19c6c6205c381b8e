"""Lines of JSON in a file that is moved aside when it is full; the oldest files go."""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pykafka_ops.errors import StorageError

MOST_BYTES: Final = 8 << 20
KEPT: Final = 8
"""Files besides the one that is written."""
log = logging.getLogger(__name__)


class Journal:
    """Any thread, one process. What is written is on the disk when ``write`` returns."""

    def __init__(self, path: Path, *, most_bytes: int = MOST_BYTES, kept: int = KEPT) -> None:
        self._path, self._most, self._kept = path, most_bytes, kept
        self._lock = threading.Lock()

    def write(self, entry: Mapping[str, Any]) -> None:
        """Append a line. StorageError."""
        line = json.dumps(entry, ensure_ascii=False, separators=(",", ":")) + "\n"
        data = line.encode("utf-8", "backslashreplace")
        with self._lock:
            try:
                if self._size() + len(data) > self._most:
                    self._turn()
                self._append(data)
            except OSError as error:
                raise StorageError(f"cannot write {self._path}: {error.strerror}") from None

    def newest_first(self) -> Iterator[dict[str, Any]]:
        """The entries. A line that was broken off, by a kill or a full disk, is left out."""
        for number in range(self._kept + 1):
            try:
                data = self._named(number).read_bytes()
            except OSError:
                continue
            for line in reversed(data.split(b"\n")):
                if (entry := _parsed(line)) is not None:
                    yield entry

    def _append(self, data: bytes) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        with open(os.open(self._path, flags, 0o600), "r+b", buffering=0) as file:
            size = file.seek(0, os.SEEK_END)
            if size and os.pread(file.fileno(), 1, size - 1) != b"\n":
                data = b"\n" + data  # the last line was broken off
            view = memoryview(data)
            while view:
                view = view[file.write(view) :]
            os.fsync(file.fileno())

    def _turn(self) -> None:
        for number in range(self._kept, 0, -1):
            older = self._named(number - 1)
            if older.exists():
                older.replace(self._named(number))

    def _size(self) -> int:
        try:
            return self._path.stat().st_size
        except FileNotFoundError:
            return 0

    def _named(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}") if number else self._path


def _parsed(line: bytes) -> dict[str, Any] | None:
    if not line:
        return None
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("id"), str) else None
