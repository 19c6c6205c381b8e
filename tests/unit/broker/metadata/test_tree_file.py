"""Room that is kept on the disk, and given for deletions alone."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from pykafka_ops.broker.metadata.store import Create, Delete, NoRoomError, Op, SetData
from pykafka_ops.broker.metadata.tree import ZNodeTree
from pykafka_ops.broker.metadata.tree_file import SPARE_BYTES, SpareRoom

MARKS = "/admin/delete_topics"
MARK = f"{MARKS}/t"


class Disk(SpareRoom):
    """Full as far as the tree can see; what is given leaves room for ``pages``."""

    pages = 100

    def fill(self, db: sqlite3.Connection) -> None:
        self.db = db
        (count,) = db.execute("PRAGMA page_count").fetchone()
        db.execute(f"PRAGMA max_page_count = {count}")

    def give(self) -> bool:
        given = super().give()
        if given:
            (count,) = self.db.execute("PRAGMA page_count").fetchone()
            self.db.execute(f"PRAGMA max_page_count = {count + self.pages}")
        return given


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    return Disk(str(tmp_path / "spare"))


@pytest.fixture
def tree(tmp_path: Path, disk: Disk) -> Iterator[ZNodeTree]:
    tree = ZNodeTree(tmp_path / "m.db", lambda: 1000, durable=False, spare=disk)
    tree.use_room()
    tree.apply([Create(path) for path in ("/admin", MARKS, "/topics")], 0)
    tree.patient = False
    disk.fill(tree._disk)
    for size in (1000, 1):  # what is left of the pages there are
        with pytest.raises(NoRoomError):
            while True:
                tree.apply([Create("/topics/t", bytes(size), sequence=True)], 0)
    yield tree
    tree.close()


def read(tmp_path: Path) -> list[str]:
    """What another process finds in the file."""
    tree = ZNodeTree(tmp_path / "m.db", lambda: 1000)
    try:
        return tree.children(MARKS)
    finally:
        tree.close()


def test_the_order_to_delete_a_topic_has_room_kept_for_it(
    tree: ZNodeTree, disk: Disk, tmp_path: Path
) -> None:
    topics = tree.children("/topics")
    tree.apply([Create(f"{MARKS}/{topic}{'x' * 200}") for topic in topics[:50]], 0)
    assert len(read(tmp_path)) == 50
    assert not disk.kept and tree.needs_room
    tree.use_room()
    assert disk.kept and not tree.needs_room


@pytest.mark.parametrize(
    "ops",
    [
        [Create("/topics/x", bytes(5000))],
        [SetData("/topics", bytes(5000))],
        [Create(MARK), SetData("/topics", bytes(5000))],
        [Create("/admin/x", bytes(5000)), Delete("/topics/t0000000000")],
    ],
    ids=str,
)
def test_nothing_else_is_given_that_room(tree: ZNodeTree, disk: Disk, ops: list[Op]) -> None:
    with pytest.raises(NoRoomError):
        tree.apply(ops, 0)
    assert disk.kept


def test_a_deletion_is_held_where_there_is_not_even_that_room(
    tree: ZNodeTree, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk.give()
    disk.fill(tree._disk)

    def full(*_: object) -> None:
        error = sqlite3.OperationalError("full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    write = tree._write
    monkeypatch.setattr(
        tree, "_write", lambda db, rows: (full if db is disk.db else write)(db, rows)
    )
    with pytest.raises(NoRoomError):
        tree.apply([Create(MARK)], 0)
    first, *others = tree.children("/topics")
    tree.apply([Delete(f"/topics/{first}")], 0)
    assert tree.children("/topics") == others
    assert tree.holds
    monkeypatch.undo()
    tree.use_room()
    assert not tree.holds and disk.kept
    assert tree.children("/topics") == others


def test_room_is_kept_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spare = SpareRoom(str(tmp_path / "spare"))

    def full(*_: int) -> None:
        raise OSError(errno.ENOSPC, "full")

    with monkeypatch.context() as patched:
        patched.setattr(os, "posix_fallocate", full)
        spare.keep()
    assert not spare.kept and not spare.give()
    assert list(tmp_path.iterdir()) == []
    spare.keep()
    assert spare.kept and (tmp_path / "spare").stat().st_size == SPARE_BYTES
    assert spare.give() and not spare.give()
    assert list(tmp_path.iterdir()) == []
