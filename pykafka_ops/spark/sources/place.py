"""Files wherever they are: local, or behind any URI that ``pyarrow.fs`` opens."""

from __future__ import annotations

import os
import re
import time
from typing import TYPE_CHECKING, Protocol

from pykafka_ops.errors import UsageError

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_LOOKS, _PAUSE = 5, 0.05
"""How often, and how many seconds apart, the size of a local file is looked at that ends within a
batch: a broker writes the rest at once."""


class RandomFile(Protocol):
    """A file opened for reads at any place."""

    size: int

    def read_at(self, count: int, position: int) -> bytes:
        """At most ``count`` bytes from ``position`` on; fewer only where the file ends."""

    def grown(self, size: int) -> bool:
        """Whether there is more than ``size`` bytes by now; a file that somebody may be writing
        gets a moment for it."""

    def close(self) -> None:
        """Give it back."""


class LocalFile:
    """Reads without moving a position, so that nothing is shared; no mapping, since a broker may
    cut the file meanwhile."""

    __slots__ = ("_fd", "size")

    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        self.size = os.fstat(self._fd).st_size

    def read_at(self, count: int, position: int) -> bytes:
        """As :class:`RandomFile`."""
        found = os.pread(self._fd, count, position)
        if len(found) == count or not found:
            return found
        parts = [found]
        have = len(found)
        while have < count and (found := os.pread(self._fd, count - have, position + have)):
            parts.append(found)
            have += len(found)
        return b"".join(parts)

    def grown(self, size: int) -> bool:
        """As :class:`RandomFile`."""
        for _ in range(_LOOKS):
            if os.fstat(self._fd).st_size > size:
                return True
            time.sleep(_PAUSE)
        return False

    def close(self) -> None:
        """As :class:`RandomFile`."""
        os.close(self._fd)


class _ArrowFile:
    """A file of any other filesystem."""

    __slots__ = ("_file", "size")

    def __init__(self, filesystem: FileSystem, path: str) -> None:
        self._file = filesystem.open_input_file(path)
        self.size = int(self._file.size())

    def read_at(self, count: int, position: int) -> bytes:
        if position >= self.size:
            return b""
        return bytes(self._file.read_at(min(count, self.size - position), position))

    def grown(self, size: int) -> bool:
        return self.size > size

    def close(self) -> None:
        self._file.close()


class Location:
    """A filesystem and a path in it; ``root`` is what opens it again in another process."""

    __slots__ = ("filesystem", "local", "path", "root")

    def __init__(self, filesystem: FileSystem | None, path: str, root: str = "") -> None:
        self.filesystem = filesystem
        self.path = path
        self.root = root
        self.local = filesystem is None

    @classmethod
    def of(cls, location: str) -> Location:
        """The place a path or URI names. UsageError for a URI nothing here can open."""
        if location.startswith("file://"):
            rest = location[len("file://") :]
            location = rest[rest.find("/") :] if "/" in rest else "/"
        if not _SCHEME.match(location):
            return cls(None, os.path.abspath(os.path.expanduser(location)))
        from pyarrow.fs import FileSystem

        try:
            filesystem, path = FileSystem.from_uri(location)
        except (OSError, ValueError, NotImplementedError) as e:
            raise UsageError(f"{location}: cannot be opened: {one_line(e)}") from None
        return cls(filesystem, path, location)

    def at(self, path: str) -> Location:
        """Another path in the same filesystem."""
        return Location(self.filesystem, path, self.root)

    def open(self, path: str) -> RandomFile:
        """Open a file for reading; OSError as the filesystem has it."""
        if self.filesystem is None:
            return LocalFile(path)
        return _ArrowFile(self.filesystem, path)

    def read(self, path: str, most: int) -> bytes | None:
        """The first ``most`` bytes of a file; None where it cannot be read."""
        try:
            file = self.open(path)
        except OSError:
            return None
        try:
            return file.read_at(min(most, file.size), 0)
        except OSError:
            return None
        finally:
            file.close()


def one_line(error: Exception) -> str:
    """The first line of what an error says."""
    return (str(error) or type(error).__name__).splitlines()[0]
