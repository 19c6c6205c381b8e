"""The manifests of a backup, read; and the lock that keeps two runs apart."""

from __future__ import annotations

import fcntl
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from pykafka_ops.backup.chain import Chain, chain_of
from pykafka_ops.backup.manifest import (
    FOLDER,
    MOST_BYTES,
    RunEntry,
    decode,
    encode,
    manifest_name,
    number_of,
)
from pykafka_ops.backup.store.directory import BackupDirectory
from pykafka_ops.backup.store.model import BackupStore
from pykafka_ops.backup.store.names import NotStoredError
from pykafka_ops.backup.store.whole import read_whole
from pykafka_ops.errors import StorageError

LOCK: Final = "lock"
_MOST_LOCK: Final = 4096


def read_chain(store: BackupStore, *, upto: int | None = None) -> Chain:
    """All runs, or those up to a number. Raises StorageError: one that cannot be read may name what
    is missing elsewhere."""
    numbers = sorted(n for n in map(number_of, store.names(FOLDER)) if n is not None)
    runs = []
    for number in numbers:
        name = manifest_name(number)
        where = f"{store.place}: {name}"
        run = decode(read_whole(store, name, MOST_BYTES), where)
        if run.number != number:
            raise StorageError(f"{where} is the manifest of run {run.number}")
        runs.append(run)
    wanted = [run for run in runs if upto is None or run.number <= upto]
    return chain_of(wanted, runs[len(wanted) :])


def keep_run(store: BackupStore, run: RunEntry) -> None:
    """Write the manifest: from now on the run counts. Raises StorageError."""
    if not store.put_new(run.name, encode(run)):
        raise StorageError(f"{store.place}: {run.name} is there: another backup ran meanwhile")


@contextmanager
def locked(store: BackupStore, now_ms: int) -> Iterator[None]:
    """Alone in the store. StorageError where somebody else is.

    A directory is locked by the system, which ends it with the process; another store by a file,
    which a process that was killed leaves behind.
    """
    with _flock(store) if isinstance(store, BackupDirectory) else _lock_file(store, now_ms):
        yield


@contextmanager
def _flock(store: BackupDirectory) -> Iterator[None]:
    path = store.root / f".{LOCK}"
    try:
        store.root.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror or error}") from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise StorageError(f"{store.place}: another backup or restore uses it now") from None
        yield
    finally:
        os.close(handle)


@contextmanager
def _lock_file(store: BackupStore, now_ms: int) -> Iterator[None]:
    mine = {"host": socket.gethostname(), "pid": os.getpid(), "since_ms": now_ms}
    if not store.put_new(LOCK, json.dumps(mine).encode()):
        try:
            who = read_whole(store, LOCK, _MOST_LOCK).decode(errors="replace")
        except NotStoredError:
            who = "it has ended meanwhile"
        raise StorageError(
            f"{store.place}: another backup uses it ({who}); if that one is dead: --unlock"
        )
    try:
        yield
    finally:
        store.delete(LOCK)


def unlock(store: BackupStore) -> None:
    """Take the lock of a dead process away."""
    store.delete(LOCK)
