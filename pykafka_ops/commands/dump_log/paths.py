"""Files and whole directories for dump-log's own verbs, and what each file is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pykafka_ops.disk import names
from pykafka_ops.errors import UsageError

_KINDS = {
    names.LOG_SUFFIX: "log",
    names.INDEX_SUFFIX: "index",
    names.TIME_INDEX_SUFFIX: "timeindex",
    names.TXN_INDEX_SUFFIX: "txnindex",
    names.SNAPSHOT_SUFFIX: "snapshot",
    names.CHECKPOINT_SUFFIX: "log",
}
_NAMED = {
    names.LEADER_EPOCH_CHECKPOINT: "leader-epochs",
    names.PARTITION_METADATA: "topic-id",
    names.META_PROPERTIES: "meta-properties",
}
#: Directories that ``repair`` makes for what it cuts and replaces.
BACKUP_PREFIX = "repair-backup-"
_ORDER = tuple(dict.fromkeys(_KINDS.values()))


class CheckJob(NamedTuple):
    """One directory. ``files``: the names asked for; ``whole``: all that belongs to it, together.

    ``size``: their bytes.
    """

    folder: str
    files: tuple[str, ...]
    whole: bool
    size: int = 0


def kind_of(path: str) -> str:
    """What a file is by its name; "" where dump-log cannot read it.

    ``.deleted``, ``.cleaned`` and ``.swap`` behind a segment's file do not hide what it is.
    """
    name = os.path.basename(path)
    segment = names.parse_segment_file(name)
    if segment is not None:
        return _KINDS.get(segment.suffix, "")
    if name in _NAMED:
        return _NAMED[name]
    if name.endswith("-offset-checkpoint"):
        return "offsets"
    return _KINDS.get(os.path.splitext(name)[1], "")


def expand(paths: Iterable[str]) -> Iterator[str]:
    """The files of ``paths``: each file named, and all that is readable below each directory.

    A path that is not there may be a pattern (``*``, ``?``, ``[..]``, ``**``) that the shell left
    as it is. UsageError for one that matches nothing.
    """
    for path in _there(paths):
        if os.path.isdir(path):
            for where, files in _folders(path):
                yield from (os.path.join(where, name) for name in files)
        else:
            yield path


def _there(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        yield from [path] if os.path.exists(path) else _matching(path)


def _matching(pattern: str) -> list[str]:
    import glob

    found = sorted(glob.glob(pattern, recursive=True)) if glob.has_magic(pattern) else []
    if not found:
        raise UsageError(f"no such file or directory: {pattern}")
    return found


def jobs_of(paths: Iterable[str]) -> list[CheckJob]:
    """The work of checking ``paths``: a job for each directory with files of a log directory.

    UsageError for a path that is not there.
    """
    jobs: list[CheckJob] = []
    lone: dict[str, list[str]] = {}
    for path in _there(paths):
        if os.path.isdir(path):
            for folder, names_ in _folders(path):
                size = sum(_size(os.path.join(folder, name)) for name in names_)
                jobs.append(CheckJob(folder, tuple(names_), True, size))
        else:
            folder, name = os.path.split(path)
            lone.setdefault(folder, []).append(name)
    for folder, names_ in lone.items():
        size = sum(_size(os.path.join(folder, name)) for name in names_)
        jobs.append(CheckJob(folder, tuple(dict.fromkeys(names_)), False, size))
    return jobs


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def _folders(folder: str) -> Iterator[tuple[str, list[str]]]:
    """Directories below ``folder`` with files that dump-log knows, and those in order.

    What ``repair`` put aside is left out unless it is named.
    """
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(BACKUP_PREFIX))
        found = [name for name in files if kind_of(name)]
        if found:
            yield where, sorted(found, key=_rank)


def _rank(name: str) -> tuple[int, int, str]:
    """Small files first, then segment by segment."""
    segment = names.parse_segment_file(name)
    if segment is None:
        return (-1, 0, name)
    return (segment.offset, _ORDER.index(kind_of(name)), name)
