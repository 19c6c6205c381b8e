"""A directory behind a URI, in the file system of Hadoop's that Spark's own writers use for it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from pykafka_ops.errors import StorageError, UsageError
from pykafka_ops.objects import uris
from pykafka_ops.objects.causes import cause
from pykafka_ops.spark.output import atomic
from pykafka_ops.spark.output.stores import is_of_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_JARS: Final = {
    "s3a": "org.apache.hadoop:hadoop-aws",
    "gs": "com.google.cloud.bigdataoss:gcs-connector:hadoop3",
    "abfs": "org.apache.hadoop:hadoop-azure",
    "abfss": "org.apache.hadoop:hadoop-azure",
}


class HadoopStore:
    """A directory by its URI, in the file system that the session has for it.

    Raises UsageError where it has none.
    """

    def __init__(self, spark: SparkSession, root: str) -> None:
        self._root, self.root = root.rstrip("/"), uris.shown(root.rstrip("/"))
        self._scheme = uris.scheme_of(root)
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
                f"{self.root}: Spark has no file system for {self._scheme}://{hint}"
            ) from error

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

    def remove(self, names: Sequence[str]) -> None:
        """As :class:`Store`."""
        for name in names:
            try:
                self._files.delete(self._at(name), False)
            except Exception as error:
                raise self._error("cannot remove", name, error) from error

    def spark_uri(self, name: str) -> str | None:
        """As :class:`Store`."""
        return f"{self._root}/{name}"

    def clear(self, name: str, *, files: bool = True) -> None:
        """As :class:`Store`."""
        inside = self.names(name)
        if inside == [name.rpartition("/")[2]]:  # a listing of a file is the file
            if not files:
                return
        elif not all(map(is_of_spark, inside)):
            raise StorageError(f"cannot remove {self.root}/{name}: it is not of a report alone")
        try:
            self._files.delete(self._at(name), True)
        except Exception as error:
            raise self._error("cannot remove", name, error) from error

    def rename(self, old: str, new: str) -> None:
        """As :class:`Store`."""
        try:
            if not self._files.rename(self._at(old), self._at(new)):
                raise OSError("it cannot be renamed")
        except Exception as error:
            raise self._error("cannot write", new, error) from error

    def _put(self, name: str, data: bytes) -> None:
        path = self._at(name)
        if self._scheme in uris.OBJECTS:
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
        return self._path(f"{self._root}/{name}" if name else self._root)

    def _error(self, what: str, name: str, error: Exception) -> StorageError:
        from pykafka_ops.spark.failures import explained

        said = str(explained(error)).removeprefix("Spark: ")
        return StorageError(f"{what} {self.root}/{name}: {cause(self.root, said)}")
