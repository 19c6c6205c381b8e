"""What a command line names to write to: files and directories, here or behind URIs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pykafka_ops.errors import StorageError, UsageError
from pykafka_ops.spark.output import atomic
from pykafka_ops.spark.output.stores import HadoopStore, LocalStore, Store, check_scheme, is_uri

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_HEAD = 2048


class Outlet:
    """A file (``name`` in its directory) or a directory (no ``name``), as ``text`` says.

    Of a URI the session knows whether it can be written: ``open`` before any work is done.
    Raises StorageError where nothing can be written, UsageError for a URI that nobody can write to.
    """

    def __init__(self, text: str, *, folder: bool) -> None:
        self.text, self.name, self._where = text, "", text
        self._store: Store | None = None
        self.uri = is_uri(text)
        if self.uri:
            check_scheme(text)
            if not folder:
                self._where, _, self.name = text.rpartition("/")
                if not self.name:
                    raise UsageError(f"{text}: name a file")
            return
        path = Path(text).expanduser()
        atomic.writable(path / "_report.json" if folder else path)
        self._store = LocalStore(path if folder else path.parent)
        self.name = "" if folder else path.name

    def open(self, spark: SparkSession) -> None:
        """Find the file system of a URI, and see that it answers."""
        if self._store is None:
            store = HadoopStore(spark, self._where)
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
