"""What a backup asks of the place where it lies."""

from __future__ import annotations

from typing import Protocol


class StoredFile(Protocol):
    """A file being written; nobody sees it before it is closed. StorageError."""

    def write(self, data: bytes | bytearray | memoryview, /) -> object:
        """Put ``data`` at its end."""
        ...

    def close(self) -> None:
        """Have it in the store, whole and for good."""
        ...

    def abandon(self) -> None:
        """Leave no trace of it, as far as the store can."""
        ...


class OpenFile(Protocol):
    """A stored file, read from its beginning. StorageError."""

    def read(self, size: int, /) -> bytes:
        """Up to ``size`` bytes; b"" at its end."""
        ...

    def close(self) -> None:
        """End reading."""
        ...


class BackupStore(Protocol):
    """Files by name. Its methods raise StorageError; ``open`` also NotStoredError."""

    @property
    def place(self) -> str:
        """Where it is, as it is shown to people."""
        ...

    def names(self, folder: str) -> list[str]:
        """Names of the files right in a folder, without it, sorted; [] if there is none."""
        ...

    def open(self, name: str) -> OpenFile:
        """A file to be read piece by piece."""
        ...

    def create(self, name: str) -> StoredFile:
        """A file to be written, in the place of one of that name."""
        ...

    def put_new(self, name: str, data: bytes) -> bool:
        """Write a small file unless there is one of that name; whether it was written."""
        ...

    def delete(self, name: str) -> None:
        """Take a file away, if it is there."""
        ...
