"""A directory behind a URI, in the file system of Hadoop's that Spark's own writers use for it."""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from pykafka_ops.errors import PkoError, StorageError, UsageError
from pykafka_ops.objects import uris
from pykafka_ops.objects.causes import cause
from pykafka_ops.objects.opening import PATIENCE
from pykafka_ops.spark.output import atomic
from pykafka_ops.spark.output.stores import is_of_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_OF_HADOOP: Final = {"s3a": "hadoop-aws", "abfs": "hadoop-azure", "abfss": "hadoop-azure"}
"""Jars that come with Hadoop, by scheme."""
_OF_GOOGLE: Final = "com.google.cloud.bigdataoss:gcs-connector:hadoop3-VERSION"
_NONE: Final = re.compile(r"No FileSystem for scheme|ClassNotFoundException: Class \S+ not found")
"""What Hadoop says of a scheme that it has no file system for, or not the jar of it."""
_UNFIT: Final = re.compile(
    r"(?:NoClassDefFoundError|NoSuchMethodError|NoSuchFieldError|AbstractMethodError"
    r"|IncompatibleClassChangeError|ServiceConfigurationError): (\S+)"
)
"""What Java says where only some of the jars are there, or not those for this Hadoop."""


class HadoopStore:
    """A directory by its URI, in the file system that the session has for it.

    Raises UsageError where it has none, StorageError for one that cannot be used, or does not
    answer.
    """

    def __init__(self, spark: SparkSession, root: str) -> None:
        self._root, self.root = root.rstrip("/"), uris.shown(root.rstrip("/"))
        self._scheme = uris.scheme_of(root)
        jvm: Any = spark._jvm
        self._path = jvm.org.apache.hadoop.fs.Path
        self._bytes = jvm.org.apache.commons.io.IOUtils.toByteArray
        version = str(jvm.org.apache.hadoop.util.VersionInfo.getVersion())

        def first() -> None:
            path = self._path(root)
            self._files = path.getFileSystem(spark._jsc.hadoopConfiguration())
            if self._files.exists(path):  # which a bucket is that nobody asked for
                self._files.listStatusIterator(path).hasNext()

        try:
            answered = within(PATIENCE, first)
        except Exception as error:
            known = unusable(self.root, str(error), version)
            raise known or self._error("cannot look at", "", error) from error
        if not answered:
            raise StorageError(f"{self.root}: the store does not answer within {PATIENCE} s")

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
        where = f"{self.root}/{name}".rstrip("/")
        return StorageError(f"{what} {where}: {cause(self.root, said)}")


def unusable(root: str, said: str, version: str) -> PkoError | None:
    """Why there is no file system (UsageError) for a URI that may be shown, or none that works, by
    what Java ``said``; None where that is no matter of jars. ``version`` of Hadoop."""
    scheme = uris.scheme_of(root)
    jar = _jar(scheme, version)
    if _NONE.search(said):
        hint = f": give --packages {jar}" if jar else ""
        return UsageError(f"{root}: Spark has no file system for {scheme}://{hint}")
    if (found := _UNFIT.search(said)) is None:
        return None
    return StorageError(
        f"{root}: Spark's file system for {scheme}:// lacks {found[1]}: give all jars of "
        f"{jar or f'one for Hadoop {version}'}"
    )


def _jar(scheme: str, version: str) -> str:
    """What ``--packages`` takes to bring a file system; "" where that is not known."""
    if scheme == "gs":
        return _OF_GOOGLE
    name = _OF_HADOOP.get(scheme)
    return f"org.apache.hadoop:{name}:{version}" if name else ""


def within(seconds: float, ask: Callable[[], None]) -> bool:
    """Whether ``ask`` is done in time; raises what it raises. Java may try for minutes, and goes on
    with it until its end."""
    failed: list[Exception] = []

    def run() -> None:
        try:
            ask()
        except Exception as error:
            failed.append(error)

    asking = threading.Thread(target=run, daemon=True)
    asking.start()
    asking.join(seconds)
    if failed:
        raise failed[0]
    return not asking.is_alive()
