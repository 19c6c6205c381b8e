"""Both kinds of store keep files alike."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from pykafka_ops.backup.store.model import BackupStore
from pykafka_ops.backup.store.names import NotStoredError
from pykafka_ops.backup.store.opened import store_at
from pykafka_ops.backup.store.whole import read_whole
from pykafka_ops.errors import StorageError, UsageError


@pytest.fixture(params=["directory", "pyarrow"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> BackupStore:
    place = tmp_path / "backup"
    return store_at(str(place) if request.param == "directory" else place.as_uri())


def put(store: BackupStore, name: str, *pieces: bytes) -> None:
    file = store.create(name)
    for piece in pieces:
        file.write(memoryview(piece))
    file.close()


def test_a_closed_file_is_read_back_whole_and_in_pieces(store: BackupStore) -> None:
    put(store, "a/b/c.log", b"one", b"", b"two")
    assert read_whole(store, "a/b/c.log", 100) == b"onetwo"
    with closing(store.open("a/b/c.log")) as file:
        assert [file.read(4), file.read(4), file.read(4)] == [b"onet", b"wo", b""]


def test_names_are_those_of_one_folder(store: BackupStore) -> None:
    put(store, "runs/2", b"")
    put(store, "runs/1", b"x")
    put(store, "runs/deep/3", b"x")
    assert store.names("runs") == ["1", "2"]
    assert store.names("nowhere") == []


def test_an_open_file_is_no_file_of_a_directory_yet(tmp_path: Path) -> None:
    store = store_at(str(tmp_path))
    file = store.create("a/x")
    file.write(b"half")
    assert store.names("a") == []
    file.abandon()
    assert os.listdir(tmp_path / "a") == []


def test_an_abandoned_file_is_gone(store: BackupStore) -> None:
    file = store.create("a/x")
    file.write(b"half")
    file.abandon()
    assert store.names("a") == []


def test_a_new_file_takes_the_place_of_the_old(store: BackupStore) -> None:
    put(store, "x", b"old and long")
    put(store, "x", b"new")
    assert read_whole(store, "x", 100) == b"new"


def test_put_new_leaves_what_is_there(store: BackupStore) -> None:
    assert store.put_new("locks/one", b"first")
    assert not store.put_new("locks/one", b"second")
    assert read_whole(store, "locks/one", 100) == b"first"
    assert store.names("locks") == ["one"]


def test_delete_bears_that_there_is_nothing(store: BackupStore) -> None:
    put(store, "x", b"1")
    store.delete("x")
    store.delete("x")
    with pytest.raises(NotStoredError, match="there is no"):
        read_whole(store, "x", 10)


def test_a_file_longer_than_the_limit_is_refused(store: BackupStore) -> None:
    put(store, "x", b"12345")
    assert read_whole(store, "x", 5) == b"12345"
    with pytest.raises(StorageError, match="more than 4 bytes"):
        read_whole(store, "x", 4)


@pytest.mark.parametrize("name", ["../x", "a/../../x", "/etc/x", "a//b", "", ".", "a\0b"])
@pytest.mark.parametrize("ask", [lambda s, n: read_whole(s, n, 1), lambda s, n: s.create(n)])
def test_no_name_leads_out_of_the_store(
    store: BackupStore, name: str, ask: Callable[[BackupStore, str], object]
) -> None:
    with pytest.raises(StorageError, match="cannot be the name"):
        ask(store, name)


def test_a_full_or_forbidden_place_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError, match=r"file/x"):
        store_at(str(tmp_path / "file")).create("x")


@pytest.mark.parametrize("place", ["ftp://host/x", "s3://", "gs:///?x=1"])
def test_a_place_that_means_nothing_is_refused(place: str) -> None:
    with pytest.raises(UsageError, match=r"s3|gs|ftp"):
        store_at(place)
