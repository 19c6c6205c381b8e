"""Log directories for audits, wherever ``Location`` finds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pykafka_ops.audit.directories import HERE
from pykafka_ops.audit.tree import FileTree, TreeFile
from pykafka_ops.objects.opening import answering, entries
from pykafka_ops.spark.sources.place import Location, RandomFile

if TYPE_CHECKING:
    from pyarrow.fs import FileInfo


def tree_of(location: str) -> tuple[FileTree, str]:
    """The file system of a path or URI, and the path in it. Raises UsageError."""
    place = Location.of(location)
    return (HERE, place.path) if place.local else (LocationTree(place), place.path)


class LocationTree:
    """A file system behind a URI; ``place.root`` opens it again in another process."""

    def __init__(self, place: Location) -> None:
        self._place = place

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (self._place.root,)

    def is_dir(self, path: str) -> bool:
        """As ``FileTree``."""
        from pyarrow.fs import FileType

        return bool(self._info(path).type == FileType.Directory)

    def names(self, path: str) -> list[str]:
        """As ``FileTree``."""
        assert self._place.filesystem is not None
        with answering(self._place.label):
            found = entries(self._place.filesystem, path)
        return sorted(one.base_name for one in found)

    def open(self, path: str) -> TreeFile:
        """As ``FileTree``."""
        return _TreeFile(self._place.open(path))

    def size(self, path: str) -> int:
        """As ``FileTree``."""
        info = self._info(path)
        if info.size is None:
            raise FileNotFoundError(2, "no such file", path)
        return int(info.size)

    def _info(self, path: str) -> FileInfo:
        assert self._place.filesystem is not None
        with answering(self._place.label):
            return self._place.filesystem.get_file_info(path)


class _TreeFile:
    """Reads into memory of others, too."""

    def __init__(self, file: RandomFile) -> None:
        self._file, self.size = file, file.size

    def read_at(self, count: int, position: int) -> bytes:
        return self._file.read_at(count, position)

    def read_into(self, room: memoryview, position: int) -> int:
        found = self.read_at(len(room), position)
        room[: len(found)] = found
        return len(found)

    def close(self) -> None:
        self._file.close()


def _again(root: str) -> LocationTree:
    return LocationTree(Location.of(root))
