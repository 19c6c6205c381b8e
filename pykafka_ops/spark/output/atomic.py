"""Files that appear whole or not at all: written beside the old one, then renamed over it."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from pykafka_ops.errors import StorageError

PART = ".part"
_HEAD = 2048


def write_all(files: Mapping[Path, bytes]) -> None:
    """Write every file beside its place, and only when all are on disk rename them.

    Directories are made. Raises StorageError; the old files then are as they were, but for those
    renamed when the disk failed between two renames.
    """
    parts: list[tuple[Path, Path]] = []
    try:
        for path, data in files.items():
            parts.append((_beside(path), path))
            _write(parts[-1][0], data)
        for part, path in parts:
            os.replace(part, path)
        for directory in {path.parent for path in files}:
            _sync(directory)
    except OSError as e:
        raise StorageError(f"cannot write {e.filename or 'the report'}: {e.strerror or e}") from e
    finally:
        for part, _ in parts:
            with contextlib.suppress(OSError):
                part.unlink()


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name[:200]}.{secrets.token_hex(4)}{PART}")


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync(directory: Path) -> None:
    """Sync the directory so that the renames survive a crash; some file systems cannot."""
    with contextlib.suppress(OSError):
        fd = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def writable(path: Path) -> None:
    """StorageError now rather than after minutes of work, where ``path`` cannot be written."""
    if path.is_dir():
        raise StorageError(f"cannot write {path}: it is a directory")
    where = path.parent
    while not where.exists() and where != where.parent:
        where = where.parent
    if not where.is_dir():
        raise StorageError(f"cannot write {path}: {where} is no directory")
    if not os.access(where, os.W_OK | os.X_OK):
        raise StorageError(f"cannot write {path}: no permission to write in {where}")


def foreign(path: Path, mark: bytes) -> bool:
    """Whether there is a file with something in it, but not ``mark`` near its beginning."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    return bool(head) and mark not in head
