"""What stands in the data directories, for DescribeLogDirs."""

from __future__ import annotations

from typing import NamedTuple

from pykafka_ops.broker.state.steps import Steps
from pykafka_ops.broker.storage.checkpoints import Key
from pykafka_ops.broker.storage.data_dir import DataDir
from pykafka_ops.broker.storage.files import Files
from pykafka_ops.disk import names

PAUSE = 32
"""Logs between two pauses: the directories of those that nobody has used are read."""


class LogDescription(NamedTuple):
    """One replica in a directory; size in bytes. A future one is a copy in the making."""

    topic: str
    partition: int
    size: int
    is_future: bool = False


class DirDescription(NamedTuple):
    """One data directory; bytes are -1 and logs empty if it failed."""

    path: str
    error: str | None
    total_bytes: int
    usable_bytes: int
    logs: list[LogDescription]


def describe(data_dir: DataDir) -> Steps[DirDescription]:
    """A directory and its logs; the sizes of logs nobody used are looked up."""
    if data_dir.home.error is not None:
        return DirDescription(data_dir.path, str(data_dir.home.error), -1, -1, [])
    files = data_dir.files
    try:
        total, usable = files.space(data_dir.path)
        logs = []
        for key in list(data_dir.partitions):
            size = _size(data_dir, key)
            if size is not None:
                logs.append(LogDescription(*key, size))
            if not len(logs) % PAUSE:
                yield None
        for key, name in list(data_dir.futures.items()):
            size = _size_of_copy(files, f"{data_dir.path}/{name}")
            logs.append(LogDescription(*key, size, is_future=True))
    except OSError as error:
        data_dir.home.fail(error)
        return DirDescription(data_dir.path, str(error), -1, -1, [])
    return DirDescription(data_dir.path, None, total, usable, logs)


def _size(data_dir: DataDir, key: Key) -> int | None:
    """None if it was removed meanwhile."""
    if key not in data_dir.partitions:
        return None
    log = data_dir.partitions[key]
    if log is not None and log.is_open:
        return log.size
    return _size_on_disk(data_dir.files, f"{data_dir.path}/{names.partition_dir(*key)}")


def _size_of_copy(files: Files, directory: str) -> int:
    """0 where the thread that copies has not made the directory yet."""
    try:
        return _size_on_disk(files, directory)
    except FileNotFoundError:
        return 0


def _size_on_disk(files: Files, directory: str) -> int:
    return sum(f.size for f in files.list(directory) if f.name.endswith(names.LOG_SUFFIX))
