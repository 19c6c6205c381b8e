"""Files wherever they are: local, or behind any URI that ``pyarrow.fs`` opens."""

from __future__ import annotations

import os
import time
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from pykafka_ops.errors import StorageError
from pykafka_ops.objects import uris
from pykafka_ops.objects.causes import is_denial, refusals, store_error
from pykafka_ops.objects.opening import answering, opened

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

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
    """A file of any other filesystem; StorageError where the store no longer gives it."""

    __slots__ = ("_file", "_label", "size")

    def __init__(self, filesystem: FileSystem, path: str, label: str) -> None:
        self._label = label
        with answering(label):
            self._file = filesystem.open_input_file(path)
            self.size = int(self._file.size())

    def read_at(self, count: int, position: int) -> bytes:
        if position >= self.size:
            return b""
        with answering(self._label):
            return bytes(self._file.read_at(min(count, self.size - position), position))

    def grown(self, size: int) -> bool:
        return self.size > size

    def close(self) -> None:
        self._file.close()


@lru_cache(maxsize=32)
def _opened(location: str, _process: int) -> tuple[FileSystem, str]:
    """The filesystem of a URI, and the path in it: opened once, since it has connections, but
    again in each process that was forked off."""
    return opened(location)


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
        if uris.scheme_of(location) == "file":
            location = uris.local_path(location)
        if not uris.is_uri(location):
            return cls(None, os.path.abspath(os.path.expanduser(location)))
        return cls(*_opened(location, os.getpid()), location)

    @property
    def label(self) -> str:
        """What messages call it: no key is in it."""
        return uris.shown(self.root) if self.root else self.path

    def at(self, path: str) -> Location:
        """Another path in the same filesystem."""
        return Location(self.filesystem, path, self.root)

    def open(self, path: str) -> RandomFile:
        """Open a file for reading. FileNotFoundError where it is not there, OSError of a local
        file, StorageError where a store does not answer or refuses."""
        if self.filesystem is None:
            return LocalFile(path)
        return _ArrowFile(self.filesystem, path, self.label)

    def check_bucket(self) -> None:
        """StorageError where the bucket of an object store is not there: a list of what is in it
        would be empty. Who may not ask for that is told by what comes next."""
        if self.filesystem is None or uris.scheme_of(self.root) not in uris.OBJECTS:
            return
        from pyarrow.fs import FileType

        bucket = self.path.partition("/")[0]

        def meaning(error: Exception) -> Exception | None:
            return None if is_denial(str(error)) else store_error(self.label, error)

        with refusals(meaning):
            if self.filesystem.get_file_info(bucket).type == FileType.NotFound:
                raise StorageError(f"{self.label}: there is no bucket or container {bucket}")

    def read(self, path: str, most: int) -> bytes | None:
        """The first ``most`` bytes of a file; None where it cannot be read. StorageError as
        ``open``."""
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
