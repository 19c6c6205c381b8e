"""Small files of a store, read in one go."""

from __future__ import annotations

from contextlib import closing

from pykafka_ops.backup.store.model import BackupStore
from pykafka_ops.errors import StorageError


def read_whole(store: BackupStore, name: str, limit: int) -> bytes:
    """A file of ``limit`` bytes at most. Raises StorageError: for a larger one, too, which is none
    that is written under that name; NotStoredError."""
    with closing(store.open(name)) as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise StorageError(
            f"{store.place}: {name} has more than {limit:,} bytes: it is not of a backup"
        )
    return data
