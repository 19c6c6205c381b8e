"""Where the files of a report lie: what each place can do, and the one on this machine."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from pykafka_ops.errors import StorageError
from pykafka_ops.spark.output import atomic


class Store(Protocol):
    """A directory, ``root``; names are relative to it, with ``/`` between their parts."""

    root: str

    def names(self, folder: str) -> list[str]:
        """What is in a folder; nothing where there is none. Raises StorageError."""

    def read(self, name: str, most: int = -1) -> bytes | None:
        """A file, or its first bytes; None where there is none. Raises StorageError."""

    def write(self, files: Mapping[str, bytes]) -> None:
        """Write files so that each appears as a whole. Raises StorageError."""

    def remove(self, names: Sequence[str]) -> None:
        """Remove files; those that are gone already are no error. Raises StorageError."""

    def spark_uri(self, name: str) -> str | None:
        """Where Spark itself writes to ``name``; None where it cannot."""

    def clear(self, name: str, *, files: bool = True) -> None:
        """Remove a directory that Spark wrote, or with ``files`` a file, if there is one. Raises
        StorageError, also where something else is in it."""

    def rename(self, old: str, new: str) -> None:
        """Rename a directory to where nothing is. Raises StorageError."""


def is_of_spark(name: str) -> bool:
    """Whether Spark gives files of a table such names."""
    return name.lstrip(".").startswith(("part-", "_SUCCESS", "_temporary"))


class LocalStore:
    """A directory of this machine."""

    def __init__(self, root: Path) -> None:
        self.path, self.root = root, str(root)

    def names(self, folder: str) -> list[str]:
        """As :class:`Store`."""
        try:
            return sorted(path.name for path in (self.path / folder).iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as e:
            raise StorageError(f"{self.path / folder}: {e.strerror or e}") from e

    def read(self, name: str, most: int = -1) -> bytes | None:
        """As :class:`Store`."""
        try:
            with (self.path / name).open("rb") as file:
                return file.read(most)
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return None
        except OSError as e:
            raise StorageError(f"{self.path / name}: {e.strerror or e}") from e

    def write(self, files: Mapping[str, bytes]) -> None:
        """As :class:`Store`."""
        atomic.write_all({self.path / name: data for name, data in files.items()})

    def remove(self, names: Sequence[str]) -> None:
        """As :class:`Store`."""
        for name in names:
            try:
                (self.path / name).unlink(missing_ok=True)
            except OSError as e:
                raise StorageError(f"cannot remove {self.path / name}: {e.strerror or e}") from e

    def spark_uri(self, name: str) -> str | None:
        """As :class:`Store`."""
        return (self.path.absolute() / name).as_uri()

    def clear(self, name: str, *, files: bool = True) -> None:
        """As :class:`Store`."""
        path = self.path / name
        try:
            if not path.is_dir() or path.is_symlink():
                if files:
                    path.unlink(missing_ok=True)
                return
            for part in [part for part in path.iterdir() if is_of_spark(part.name)]:
                shutil.rmtree(part) if part.is_dir() else part.unlink()
            path.rmdir()
        except OSError as e:
            raise StorageError(f"cannot remove {path}: {e.strerror or e}") from e

    def rename(self, old: str, new: str) -> None:
        """As :class:`Store`."""
        try:
            (self.path / old).rename(self.path / new)
        except OSError as e:
            raise StorageError(f"cannot write {self.path / new}: {e.strerror or e}") from e
