"""A backup in a directory of this machine, or of a network file system."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

from pykafka_ops.backup.store.names import NotStoredError, checked
from pykafka_ops.errors import StorageError

_PART: Final = ".part"
"""Ending of a file that is being written."""


class BackupDirectory:
    """Files below ``root``; what is closed is on the disk (fsync), under its name at once."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @property
    def place(self) -> str:
        """Its path."""
        return str(self.root)

    def names(self, folder: str) -> list[str]:
        """As ``BackupStore.names``; files that are being written are none."""
        path = self._path(folder)
        try:
            with _reported(path), os.scandir(path) as entries:
                found = [entry.name for entry in entries if entry.is_file()]
        except NotStoredError:
            return []
        return sorted(name for name in found if not name.endswith(_PART))

    def open(self, name: str) -> _Opened:
        """As ``BackupStore.open``."""
        path = self._path(name)
        with _reported(path):
            return _Opened(path, open(path, "rb", buffering=0))

    def create(self, name: str) -> _Written:
        """As ``BackupStore.create``."""
        path = self._path(name)
        with _reported(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            return _Written(path)

    def put_new(self, name: str, data: bytes) -> bool:
        """As ``BackupStore.put_new``; of two that try at once one succeeds."""
        path = self._path(name)
        part = path.with_name(f"{path.name}.{os.getpid()}{_PART}")
        with _reported(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(part, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            try:
                os.link(part, path)
            except FileExistsError:
                return False
            finally:
                part.unlink()
            _sync(path.parent)
        return True

    def delete(self, name: str) -> None:
        """As ``BackupStore.delete``."""
        path = self._path(name)
        with _reported(path):
            path.unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self.root.joinpath(*checked(name))


class _Opened:
    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self._path, self._file = path, file

    def read(self, size: int, /) -> bytes:
        with _reported(self._path):
            return self._file.read(size)

    def close(self) -> None:
        self._file.close()


class _Written:
    """Under a name of its own until it is closed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._part = path.with_name(path.name + _PART)
        self._file = open(self._part, "wb", buffering=0)  # noqa: SIM115 - it stays open

    def write(self, data: bytes | bytearray | memoryview, /) -> None:
        view = memoryview(data)
        with _reported(self._path):
            while view:
                view = view[self._file.write(view) :]

    def close(self) -> None:
        with _reported(self._path):
            os.fsync(self._file.fileno())
            self._file.close()
            self._part.replace(self._path)
            _sync(self._path.parent)

    def abandon(self) -> None:
        self._file.close()
        with suppress(OSError):
            self._part.unlink()


def _sync(folder: Path) -> None:
    """A new name is on the disk, too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _reported(path: Path) -> Iterator[None]:
    """Errors of the system as ours."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError):
        raise NotStoredError(f"{path}: there is no such file") from None
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror or error}") from error
