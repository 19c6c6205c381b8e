"""What a command line names to write to: files and directories, here or behind URIs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pykafka_ops.errors import StorageError, UsageError
from pykafka_ops.objects import uris
from pykafka_ops.spark.connected import is_connected
from pykafka_ops.spark.engines import is_local_session
from pykafka_ops.spark.output import atomic
from pykafka_ops.spark.output.arrow_store import ArrowStore
from pykafka_ops.spark.output.hadoop_store import HadoopStore
from pykafka_ops.spark.output.stores import LocalStore, Store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_HEAD = 2048


class Outlet:
    """A file (``name`` in its directory) or a directory (no ``name``), as ``text`` says.

    ``open`` one behind a URI before any work is done: its store may not answer. Raises StorageError
    where nothing can be written, UsageError for a URI that nobody can write to.
    """

    def __init__(self, text: str, *, folder: bool) -> None:
        self.text, self.name, self._where = uris.shown(text), "", text
        self._store: Store | None = None
        self.uri = uris.is_remote(text)
        if self.uri:
            if uris.scheme_of(text) in uris.NEVER:
                raise UsageError(
                    f"{self.text}: nothing can be written to {uris.scheme_of(text)}://"
                )
            if not folder:
                self._where, self.name = uris.split_file(text)
                if not self.name:
                    raise UsageError(f"{self.text}: name a file")
            return
        here = uris.local_path(text) if uris.is_uri(text) else text
        path = Path(here).expanduser()
        atomic.writable(path / "_report.json" if folder else path)
        self._store = LocalStore(path if folder else path.parent)
        self.name = "" if folder else path.name

    def open(self, session: SparkSession) -> None:
        """Find the file system of a URI, and see that it answers."""
        if self._store is None:
            store = store_of(session, self._where)
            store.names("")
            self._store = store

    @property
    def opened(self) -> bool:
        """Whether it can be looked into already."""
        return self._store is not None

    @property
    def store(self) -> Store:
        """The directory."""
        if self._store is None:
            raise StorageError(f"{self.text}: it is not open")
        return self._store

    def check_ours(self, mark: bytes | None, *, yes: bool) -> None:
        """UsageError for a file with something in it, but not ``mark`` near its beginning."""
        if mark is None or yes or not self.name:
            return
        head = self.store.read(self.name, _HEAD)
        if head and mark not in head:
            raise UsageError(f"{self.text} was not made by pko: give --yes to write over it")


def store_of(session: SparkSession, uri: str) -> Store:
    """The directory of a URI: in Spark's file system, where it has one for it, since its settings
    may say how to get in; else, and always without a JVM here or with settings in the URI, in that
    of ``pyarrow.fs``."""
    own = uris.opens_in_arrow(uri) and uris.has_settings(uri)
    if own or is_local_session(session) or is_connected(session):
        return ArrowStore(uri)
    try:
        return HadoopStore(session, uri)
    except UsageError:
        if not uris.opens_in_arrow(uri):
            raise
    return ArrowStore(uri)


def write(files: Mapping[Outlet, Mapping[str, bytes]]) -> None:
    """Write what belongs to each outlet: to URIs first, then here all of it or nothing.

    Raises StorageError.
    """
    here: dict[Path, bytes] = {}
    for outlet, named in files.items():
        if isinstance(outlet.store, LocalStore):
            here |= {outlet.store.path / name: data for name, data in named.items()}
        else:
            outlet.store.write(named)
    if here:
        atomic.write_all(here)
