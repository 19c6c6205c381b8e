"""A directory behind a URI that ``pyarrow.fs`` opens: no Java is needed."""

from __future__ import annotations

import mimetypes
import secrets
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress

from pykafka_ops.errors import StorageError
from pykafka_ops.objects import uris
from pykafka_ops.objects.causes import cause, refusals
from pykafka_ops.objects.opening import entries
from pykafka_ops.spark.output import atomic
from pykafka_ops.spark.output.stores import is_of_spark
from pykafka_ops.spark.sources.place import Location


class ArrowStore:
    """A directory by its URI. Raises UsageError for one that ``pyarrow.fs`` does not open,
    StorageError where the store does not answer, refuses, or has no such bucket."""

    def __init__(self, root: str) -> None:
        place = Location.of(root)
        assert place.filesystem is not None
        self.root = place.label.partition("?")[0].rstrip("/")
        self._files, self._path = place.filesystem, place.path.rstrip("/")
        self._has_objects = uris.scheme_of(root) in uris.OBJECTS
        place.check_bucket()

    def names(self, folder: str) -> list[str]:
        """As ``Store``."""
        with self._told("list", folder):
            found = entries(self._files, self._at(folder).rstrip("/"), missing_ok=True)
        return sorted(info.base_name for info in found)

    def read(self, name: str, most: int = -1) -> bytes | None:
        """As ``Store``."""
        from pyarrow.fs import FileType

        with self._told("read", name):
            if self._files.get_file_info(self._at(name)).type != FileType.File:
                return None
            with self._files.open_input_file(self._at(name)) as file:
                return bytes(file.read() if most < 0 else file.read(most))

    def write(self, files: Mapping[str, bytes]) -> None:
        """As ``Store``."""
        for name, data in files.items():
            with self._told("write", name):
                self._put(name, data)

    def remove(self, names: Sequence[str]) -> None:
        """As ``Store``."""
        for name in names:
            with self._told("remove", name), suppress(FileNotFoundError):
                self._files.delete_file(self._at(name))

    def spark_uri(self, name: str) -> str | None:
        """As ``Store``."""
        return None

    def clear(self, name: str, *, files: bool = True) -> None:
        """As ``Store``."""
        from pyarrow.fs import FileType

        with self._told("look at", name):
            kind = self._files.get_file_info(self._at(name)).type
        if kind == FileType.File and files:
            self.remove([name])
        if kind != FileType.Directory:
            return
        inside = self.names(name)
        if any(not is_of_spark(part) for part in inside):
            raise StorageError(f"cannot remove {self.root}/{name}: it is not of a report alone")
        with self._told("remove", name), suppress(FileNotFoundError):  # no object itself
            self._files.delete_dir(self._at(name))

    def rename(self, old: str, new: str) -> None:
        """As ``Store``."""
        with self._told("write", new):
            self._files.move(self._at(old), self._at(new))

    def _put(self, name: str, data: bytes) -> None:
        path = self._at(name)
        if self._has_objects:
            self._create(path, data)
            return
        folder, _, last = path.rpartition("/")
        part = f"{folder}/.{last[:200]}.{secrets.token_hex(4)}{atomic.PART}"
        self._files.create_dir(folder, recursive=True)
        try:
            self._create(part, data)
            self._files.move(part, path)
        except BaseException:
            with suppress(OSError):
                self._files.delete_file(part)
            raise

    def _create(self, path: str, data: bytes) -> None:
        """An object appears when it is closed: one that could not be written is left open."""
        kind = mimetypes.guess_type(path)[0]
        about = {"Content-Type": kind} if kind and self._has_objects else None
        file = self._files.open_output_stream(path, metadata=about)
        file.write(data)
        file.close()

    def _at(self, name: str) -> str:
        return f"{self._path}/{name}" if name else self._path

    def _told(self, what: str, name: str) -> AbstractContextManager[None]:
        def meaning(error: Exception) -> StorageError:
            where = uris.joined(self.root, name).rstrip("/")
            return StorageError(f"cannot {what} {where}: {cause(self.root, error)}")

        return refusals(meaning)
