"""The store that somebody names: a path, or a URI."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pykafka_ops.backup.store.directory import BackupDirectory
from pykafka_ops.errors import UsageError

if TYPE_CHECKING:
    from pykafka_ops.backup.store.model import BackupStore


def store_at(place: str) -> BackupStore:
    """A directory by its path, anything else by its URI (s3://bucket/path). UsageError."""
    scheme, colon, _ = place.partition("://")
    if not colon:
        return BackupDirectory(Path(place).expanduser())
    from pykafka_ops.backup.store.objects import SCHEMES, objects_at

    if scheme not in SCHEMES:
        raise UsageError(f"{place}: write a directory, or one of {', '.join(SCHEMES)}://...")
    return objects_at(place)
