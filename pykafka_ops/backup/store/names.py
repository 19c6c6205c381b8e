"""Names of files in a store: what may be one. Pure."""

from __future__ import annotations

from pykafka_ops.errors import StorageError


class NotStoredError(StorageError):
    """The store has no file of that name."""


def checked(name: str) -> list[str]:
    """The parts of a name; StorageError if it could lead out of the store."""
    parts = name.split("/")
    if any(part in ("", ".", "..") or "\0" in part for part in parts):
        raise StorageError(f"{name!r} cannot be the name of a file in a backup")
    return parts
