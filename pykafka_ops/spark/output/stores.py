"""Where the files of a report lie: here, or behind a URI that a file system of Hadoop's knows, as
Spark's own writers use them (hdfs://, s3a://, gs://, file://, ...)."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from pykafka_ops.errors import StorageError, UsageError
from pykafka_ops.spark.output import atomic

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_URI: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_INSTEAD: Final = {"s3": "s3a", "s3n": "s3a", "gcs": "gs"}
"""Schemes that people write, and what Hadoop calls that."""
_NEVER: Final = ("http", "https", "ftp", "sftp")
_JARS: Final = {
    "s3a": "org.apache.hadoop:hadoop-aws",
    "gs": "com.google.cloud.bigdataoss:gcs-connector:hadoop3",
    "abfs": "org.apache.hadoop:hadoop-azure",
    "abfss": "org.apache.hadoop:hadoop-azure",
}
_OBJECTS: Final = tuple(_JARS)
"""Stores where a file appears once it is written as a whole, and renaming it would copy it."""


class Store(Protocol):
    """A directory, ``root``; names are relative to it, with ``/`` between their parts."""

    root: str

    def names(self, folder: str) -> list[str]:
        """What is in a folder; nothing where there is none. Raises StorageError."""

    def read(self, name: str, most: int = -1) -> bytes | None:
        """A file, or its first bytes; None where there is none. Raises StorageError."""

    def write(self, files: Mapping[str, bytes]) -> None:
        """Write files so that each appears as a whole. Raises StorageError."""


def is_uri(place: str) -> bool:
    """Whether a place is not simply a path here."""
    return _URI.match(place) is not None


def check_scheme(place: str) -> None:
    """UsageError for a URI that no file system of Hadoop's stands behind."""
    found = _URI.match(place)
    scheme = found[1].lower() if found else ""
    if scheme in _INSTEAD:
        raise UsageError(f"{place}: Spark calls it {_INSTEAD[scheme]}://: nothing can be written")
    if scheme in _NEVER:
        raise UsageError(f"{place}: nothing can be written to {scheme}://")


class LocalStore:
    """A directory of this machine."""

    def __init__(self, root: Path) -> None:
        self.path, self.root = root, str(root)

    def names(self, folder: str) -> list[str]:
        """As :class:`Store`."""
        try:
            return sorted(path.name for path in (self.path / folder).iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as e:
            raise StorageError(f"{self.path / folder}: {e.strerror or e}") from e

    def read(self, name: str, most: int = -1) -> bytes | None:
        """As :class:`Store`."""
        try:
            with (self.path / name).open("rb") as file:
                return file.read(most)
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return None
        except OSError as e:
            raise StorageError(f"{self.path / name}: {e.strerror or e}") from e

    def write(self, files: Mapping[str, bytes]) -> None:
        """As :class:`Store`."""
        atomic.write_all({self.path / name: data for name, data in files.items()})


class HadoopStore:
    """A directory by its URI, in the file system that the session has for it.

    Raises UsageError where it has none.
    """

    def __init__(self, spark: SparkSession, root: str) -> None:
        self.root = root.rstrip("/")
        self._scheme = root.partition("://")[0].lower()
        jvm: Any = spark._jvm
        self._path = jvm.org.apache.hadoop.fs.Path
        self._bytes = jvm.org.apache.commons.io.IOUtils.toByteArray
        try:
            path = self._path(root)
            self._files = path.getFileSystem(spark._jsc.hadoopConfiguration())
        except Exception as error:
            jar = _JARS.get(self._scheme)
            hint = f": give --packages {jar}:VERSION" if jar else ""
            raise UsageError(
                f"{root}: Spark has no file system for {self._scheme}://{hint}"
            ) from error
        if self._scheme == "file":
            self._files.setWriteChecksum(False)

    def names(self, folder: str) -> list[str]:
        """As :class:`Store`."""
        path = self._at(folder)
        try:
            if not self._files.exists(path):
                return []
            return sorted(str(f.getPath().getName()) for f in self._files.listStatus(path))
        except Exception as error:
            raise self._error("cannot list", folder, error) from error

    def read(self, name: str, most: int = -1) -> bytes | None:
        """As :class:`Store`."""
        path = self._at(name)
        try:
            if not self._files.exists(path) or self._files.getFileStatus(path).isDirectory():
                return None
            file = self._files.open(path)
            try:
                found = bytes(self._bytes(file))
            finally:
                file.close()
        except Exception as error:
            raise self._error("cannot read", name, error) from error
        return found if most < 0 else found[:most]

    def write(self, files: Mapping[str, bytes]) -> None:
        """As :class:`Store`."""
        for name, data in files.items():
            try:
                self._put(name, data)
            except Exception as error:
                raise self._error("cannot write", name, error) from error

    def _put(self, name: str, data: bytes) -> None:
        path = self._at(name)
        if self._scheme in _OBJECTS:
            self._create(path, data)
            return
        folder, _, last = name.rpartition("/")
        part = self._at(f"{folder}/.{last[:200]}.{secrets.token_hex(4)}{atomic.PART}".lstrip("/"))
        try:
            self._create(part, data)
            if not self._files.rename(part, path):
                self._files.delete(path, False)
                if not self._files.rename(part, path):
                    raise OSError("it cannot be renamed")
        finally:
            self._files.delete(part, False)

    def _create(self, path: Any, data: bytes) -> None:
        file = self._files.create(path, True)
        try:
            file.write(bytearray(data))
        finally:
            file.close()

    def _at(self, name: str) -> Any:
        return self._path(f"{self.root}/{name}" if name else self.root)

    def _error(self, what: str, name: str, error: Exception) -> StorageError:
        from pykafka_ops.spark.failures import explained

        said = str(explained(error)).removeprefix("Spark: ")
        return StorageError(f"{what} {self.root}/{name}: {said}")
