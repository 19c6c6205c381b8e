"""Directories of an object store: as few lists as that takes, and what one for each would say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyarrow.fs import FileSelector, LocalFileSystem

from pykafka_ops.spark.sources import below
from pykafka_ops.spark.sources.files import Folders, find, folders_of
from pykafka_ops.spark.sources.place import Location
from tests.support.by_rule.rules import ClusterRules
from tests.support.by_rule.tree import write_tree

RULES = ClusterRules(1_800_000_000_000, brokers=1, partitions=40, per_topic=10)
TIERED = "old-AAAAAAAAAAAAAAAAAAAAAA"


class _Store:
    """An object store as far as lists go; ``lists`` are those it was asked for."""

    type_name = "s3"

    def __init__(self) -> None:
        self._files = LocalFileSystem()
        self.lists: list[FileSelector] = []

    def get_file_info(self, what: Any) -> Any:
        if isinstance(what, FileSelector):
            self.lists.append(what)
        return self._files.get_file_info(what)

    def open_input_file(self, path: str) -> Any:
        return self._files.open_input_file(path)


@pytest.fixture
def store() -> _Store:
    return _Store()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A broker's directory, remote storage beside its partitions."""
    (folder,) = write_tree(tmp_path, RULES)
    for partition in range(3):
        place = folder / TIERED / str(partition)
        place.mkdir(parents=True)
        (place / f"{0:020d}-BBBBBBBBBBBBBBBBBBBBBB.log").write_bytes(b"x" * 61)
    return folder


def there(store: _Store, folder: Path, root: str = "s3://bucket") -> Location:
    filesystem: Any = store
    return Location(filesystem, str(folder), root)


def test_many_directories_take_one_list_and_a_few_to_try(store: _Store, folder: Path) -> None:
    found = find(there(store, folder), "there")
    assert len(found) == RULES.partitions + 3
    assert len(store.lists) == 2 + 4
    assert [s.recursive for s in store.lists].count(True) == 1
    each = find(there(other := _Store(), folder, "hdfs://bucket"), "there")
    assert len(other.lists) > len(found)
    assert [r._replace(root="") for r in found] == [r._replace(root="") for r in each]


def test_a_piece_holds_what_is_in_its_own_directories(store: _Store, folder: Path) -> None:
    place = there(store, folder)
    pieces = [p for found in folders_of(place, "there") for p in found.cut(7)]
    lists = len(store.lists)
    each = [(piece, piece.replicas(None, place)) for piece in pieces]
    assert len(store.lists) == lists
    assert all(len(piece.held) >= len(found) for piece, found in each)
    assert max(len(piece.held) for piece in pieces) <= 7
    assert sum(len(found) for _, found in each) == RULES.partitions + 3


@pytest.mark.parametrize("topics", [{"topic-0000001"}, {"topic-0000003"}])
def test_few_topics_of_many_are_listed_one_by_one(
    store: _Store, folder: Path, topics: set[str]
) -> None:
    for partition in range(20):
        (folder / f"other-{partition}").mkdir()
    found = find(there(store, folder), "there", lambda topic, _: topic in topics)
    assert {replica.topic for replica in found} == topics
    assert not any(s.recursive for s in store.lists)


def test_directories_that_fill_lists_are_listed_one_by_one(
    store: _Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(below, "_MOST", 10)
    assert len(find(there(store, folder), "there")) == RULES.partitions + 3
    assert not any(s.recursive for s in store.lists)


def test_a_directory_that_went_away_meanwhile_is_left_out(store: _Store, folder: Path) -> None:
    place = there(store, folder)
    gone = Folders("s3://bucket", str(folder), "there", ("gone-0",))
    assert gone.replicas(None, place) == []
