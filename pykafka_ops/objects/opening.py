"""Files behind URIs, opened with ``pyarrow.fs``: so that a store that does not answer, or lets
nobody in, ends neither the process nor anybody's patience."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, urlsplit

from pykafka_ops.errors import StorageError, UsageError, first_line
from pykafka_ops.objects import azure, uris
from pykafka_ops.objects.causes import (
    aborted_by,
    cause,
    is_final,
    refusals,
    store_error,
)

if TYPE_CHECKING:
    from pyarrow.fs import FileInfo, FileSystem

PATIENCE: Final = 30
"""Seconds for a store to answer its first question. By itself ``pyarrow.fs`` tries Google's for 15
minutes, S3's and Azure's for two to four where nobody says a word."""
_RETRIES: Final = "retry_limit_seconds"
_RETRIED: Final = 15
"""Seconds that requests to Google's stores are tried again for, if the URI does not say."""
_AZURE: Final = ("abfs", "abfss")


def opened(uri: str) -> tuple[FileSystem, str]:
    """The file system of a URI, and the path in it. Raises UsageError for one that cannot be
    opened, StorageError where the store does not answer, or its client library gives up on it."""
    if uris.scheme_of(uri) in uris.OBJECTS:
        _reach(_store_of(uri), os.getpid())
    return opened_here(uri)


def opened_here(uri: str) -> tuple[FileSystem, str]:
    """As ``opened``, but without a look at whether the store answers."""
    from pyarrow.fs import FileSystem

    there, label = uris.in_arrow(uri), uris.shown(uri)
    try:
        filesystem, path = FileSystem.from_uri(_patient(there))
        if uris.scheme_of(there) in _AZURE and (login := azure.login_of(there, os.environ)):
            filesystem = login.filesystem()
    except (OSError, ValueError, NotImplementedError) as error:
        said = cause(label, first_line(error).replace(there, label))
        raise UsageError(f"{label}: cannot be opened: {said}") from None
    return filesystem, path


def entries(filesystem: FileSystem, path: str, *, missing_ok: bool = False) -> list[FileInfo]:
    """What is directly in a directory. Raises FileNotFoundError unless it may be missing.

    Of Google's stores ``pyarrow.fs`` tells only of directories that are objects themselves, which
    hardly any are: there everything below is listed, as it is in any case.
    """
    from pyarrow.fs import FileInfo, FileSelector, FileType

    if filesystem.type_name != "gcs":
        return list(filesystem.get_file_info(FileSelector(path, allow_not_found=missing_ok)))
    every = filesystem.get_file_info(FileSelector(path, allow_not_found=True, recursive=True))
    if not every and not missing_ok:
        raise FileNotFoundError(2, "no such directory", path)
    above = path.rstrip("/")
    found: dict[tuple[str, bool], FileInfo] = {}
    for info in every:
        name, deeper, _ = info.path.removeprefix(above).lstrip("/").partition("/")
        is_folder = bool(deeper) or info.type == FileType.Directory
        if is_folder:
            info = FileInfo(f"{above}/{name}", FileType.Directory)
        found.setdefault((name, is_folder), info)
    return list(found.values())


def answering(label: str) -> AbstractContextManager[None]:
    """StorageError where a store does not do what is asked of it, but for files that are not there;
    ``label`` names it."""

    def meaning(error: Exception) -> Exception:
        is_missing = isinstance(error, (FileNotFoundError, NotADirectoryError))
        return error if is_missing else store_error(label, error)

    return refusals(meaning)


def _store_of(uri: str) -> str:
    """The URI of the bucket or container: what is asked once for all that lies in it."""
    parts = urlsplit(uri)
    host = parts.netloc.rpartition("@")[2]
    is_server = "." in host or ":" in host  # of abfs:// the container may stand behind it
    first = f"/{parts.path.split('/')[1]}" if is_server and parts.path else ""
    return parts._replace(path=first).geturl()


def _patient(uri: str) -> str:
    """The URI with a bound for how long a store is tried, where that is to be said there."""
    if uris.scheme_of(uri) != "gs" or _RETRIES in parse_qs(urlsplit(uri).query):
        return uri
    return f"{uri}{'&' if '?' in uri else '?'}{_RETRIES}={_RETRIED}"


@lru_cache(maxsize=64)
def _reach(uri: str, _process: int) -> None:
    """Ask a store something in a process of its own, which may hang, or be ended by the library of
    the store. StorageError where there is no answer; all else the caller will see by itself."""
    label = uris.shown(uri)
    argv = [sys.executable, "-m", "pykafka_ops.objects.probe"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        done = subprocess.run(
            argv, input=uri, env=env, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        raise StorageError(f"{label}: the store does not answer within {PATIENCE} s") from None
    except OSError:
        return
    if done.returncode < 0:
        raise StorageError(f"{label}: {cause(label, aborted_by(done.stderr))}")
    if is_final(done.stdout):
        raise StorageError(f"{label}: {cause(label, done.stdout)}")
