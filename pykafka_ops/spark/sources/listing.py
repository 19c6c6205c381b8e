"""What is in one directory, here or behind a URI."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from typing import NamedTuple

from pykafka_ops.errors import StorageError, UsageError
from pykafka_ops.objects.causes import cause, refusals
from pykafka_ops.objects.opening import entries
from pykafka_ops.spark.sources.place import Location


class ListedFile(NamedTuple):
    """Its name, bytes, when it was last written (ms). ``size`` is -1 of a link to nothing, whatever
    it should be."""

    name: str
    size: int
    modified: int


def kind_of(place: Location, path: str) -> str:
    """``file``, ``directory``, or "" for what is not there; FileNotFoundError of local ones."""
    if place.filesystem is None:
        os.stat(path)
        return "directory" if os.path.isdir(path) else "file"
    from pyarrow.fs import FileType

    found = place.filesystem.get_file_info(path).type
    return {FileType.Directory: "directory", FileType.File: "file"}.get(found, "")


def listing(place: Location, path: str) -> tuple[list[ListedFile], list[str]]:
    """(files, names of directories) of a directory; a file that goes away meanwhile is left out."""
    if place.filesystem is None:
        return _scan(path)
    from pyarrow.fs import FileType

    found = entries(place.filesystem, path)
    files = [
        ListedFile(info.base_name, int(info.size), (info.mtime_ns or 0) // 1_000_000)
        for info in found
        if info.type == FileType.File
    ]
    return files, [info.base_name for info in found if info.type == FileType.Directory]


def _scan(path: str) -> tuple[list[ListedFile], list[str]]:
    files: list[ListedFile] = []
    folders: list[str] = []
    with os.scandir(path) as entries:
        for entry in entries:
            try:
                if entry.is_dir():
                    folders.append(entry.name)
                    continue
                known = entry.stat()
            except FileNotFoundError:
                if entry.is_symlink():
                    files.append(ListedFile(entry.name, -1, 0))
                continue
            files.append(ListedFile(entry.name, known.st_size, known.st_mtime_ns // 1_000_000))
    return files, folders


def explained_at(label: str) -> AbstractContextManager[None]:
    """Say which location cannot be read, and why, by UsageError or StorageError."""

    def meaning(error: Exception) -> Exception:
        if isinstance(error, FileNotFoundError):
            return UsageError(
                f"{label}: no such directory: name a log directory of a broker (log.dirs)"
            )
        if isinstance(error, PermissionError):
            return StorageError(
                f"{label}: no permission to read it: run as the user that the broker runs as"
            )
        return StorageError(f"{label}: cannot be read: {cause(label, error)}")

    return refusals(meaning)
