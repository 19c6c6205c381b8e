"""A backup in an object store or a file system that PyArrow reaches, by its URI."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from pykafka_ops.backup.store.names import NotStoredError, checked
from pykafka_ops.errors import StorageError, UsageError, first_line
from pykafka_ops.objects import uris
from pykafka_ops.objects.opening import opened

SCHEMES: Final = ("s3", "gs", "abfs", "abfss", "hdfs", "file")


def objects_at(uri: str) -> ObjectStore:
    """The store that a URI names; its parameters are PyArrow's (``endpoint_override``, ...).

    Logins are found where the store's own tools look for them (AWS_*, instance roles, ...).
    UsageError where the URI means nothing, or PyArrow is missing; StorageError where the store does
    not answer, or nobody gives a token for it.
    """
    try:
        import pyarrow.fs  # noqa: F401
    except ImportError:
        raise UsageError(
            f"{uris.shown(uri)}: object stores take PyArrow: pip install 'pykafka-ops[spark]'"
        ) from None
    system, root = opened(uri)
    if not root.strip("/"):
        raise UsageError(f"{uris.shown(uri)}: name a bucket or a folder")
    return ObjectStore(system, root.rstrip("/"), uris.shown(uri).partition("?")[0])


class ObjectStore:
    """Objects whose names begin with ``root``; what is closed is stored whole."""

    def __init__(self, system: Any, root: str, place: str) -> None:
        """``system`` is a ``pyarrow.fs.FileSystem``; ``place``: how people write its root."""
        self._system, self._root, self._place = system, root, place

    @property
    def place(self) -> str:
        """Its URI, without parameters."""
        return self._place

    def names(self, folder: str) -> list[str]:
        """As ``BackupStore.names``."""
        from pyarrow.fs import FileSelector, FileType

        with _reported(self.place, folder):
            selector = FileSelector(self._path(folder), allow_not_found=True)
            found = self._system.get_file_info(selector)
        return sorted(info.base_name for info in found if info.type == FileType.File)

    def open(self, name: str) -> _OpenObject:
        """As ``BackupStore.open``."""
        with _reported(self.place, name):
            return _OpenObject(self.place, name, self._system.open_input_stream(self._path(name)))

    def create(self, name: str) -> _WrittenObject:
        """As ``BackupStore.create``."""
        path = self._path(name)
        with _reported(self.place, name):
            self._make_folder(path)
            stream = self._system.open_output_stream(path)
        return _WrittenObject(self, name, stream)

    def put_new(self, name: str, data: bytes) -> bool:
        """As ``BackupStore.put_new``; of two that try at once both may succeed."""
        from pyarrow.fs import FileType

        with _reported(self.place, name):
            if self._system.get_file_info(self._path(name)).type != FileType.NotFound:
                return False
        file = self.create(name)
        file.write(data)
        file.close()
        return True

    def delete(self, name: str) -> None:
        """As ``BackupStore.delete``."""
        with suppress(NotStoredError), _reported(self.place, name):
            self._system.delete_file(self._path(name))

    def _path(self, name: str) -> str:
        return "/".join([self._root, *checked(name)])

    def _make_folder(self, path: str) -> None:
        """File systems want it; object stores have none, and would keep an empty object."""
        if self._system.type_name in ("local", "hdfs"):
            self._system.create_dir(path.rpartition("/")[0], recursive=True)


class _OpenObject:
    def __init__(self, place: str, name: str, stream: Any) -> None:
        self._about, self._stream = (place, name), stream

    def read(self, size: int, /) -> bytes:
        with _reported(*self._about):
            return bytes(self._stream.read(size))

    def close(self) -> None:
        self._stream.close()


class _WrittenObject:
    """An object that is there once it is closed; some stores show it before, in part."""

    def __init__(self, store: ObjectStore, name: str, stream: Any) -> None:
        self._store, self._name, self._stream = store, name, stream

    def write(self, data: bytes | bytearray | memoryview, /) -> None:
        with _reported(self._store.place, self._name):
            self._stream.write(data)

    def close(self) -> None:
        with _reported(self._store.place, self._name):
            self._stream.close()

    def abandon(self) -> None:
        with suppress(Exception):  # whatever failed before has been reported
            self._stream.close()
        with suppress(StorageError):
            self._store.delete(self._name)


@contextmanager
def _reported(place: str, name: str) -> Iterator[None]:
    """Errors of PyArrow as ours."""
    from pyarrow import ArrowException

    try:
        yield
    except FileNotFoundError:
        raise NotStoredError(f"{place}: there is no {name}") from None
    except (ArrowException, OSError) as error:
        raise StorageError(f"{place}: {name}: {first_line(error)}") from error
