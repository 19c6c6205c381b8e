"""Log directories in another file system, counted as those of this machine are."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyarrow.fs import LocalFileSystem

from pykafka_ops.audit.book import AuditBook
from pykafka_ops.audit.collect import collect
from pykafka_ops.audit.files import AuditedFiles
from pykafka_ops.errors import UsageError
from pykafka_ops.spark.sources.place import Location
from pykafka_ops.spark.sources.tree import LocationTree, tree_of
from tests.support.kept_logs import in_batches, write_log


def elsewhere(path: str) -> tuple[LocationTree, str]:
    return LocationTree(Location(LocalFileSystem(), path, "")), path


def test_books_are_those_of_local_files(tmp_path: Path) -> None:
    batches = in_batches([(n, b"k", b"v" * 50) for n in range(400)], 10)
    place = write_log(tmp_path, "orders-0", batches, segments=(0, 200))
    (place / "partition.metadata").write_text("version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ\n")
    (tmp_path / "replication-offset-checkpoint").write_text("0\n1\norders 0 390\n")
    found = []
    for tree in (tree_of, elsewhere):
        for path in (tmp_path, place):
            with AuditBook(":memory:") as book:
                tier = book.put_tier("t", {}, 1000)
                files = AuditedFiles([str(path)], lambda: 9_000, tree=tree)
                result = collect(book, tier, files, lambda topic: True)
                assert not result.failed
                found.append([book.book(one) for one in book.places(tier)])
    assert found[0] == found[1] == found[2] == found[3] != []


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    files = AuditedFiles([str(tmp_path / "no")], lambda: 0, tree=elsewhere)
    with pytest.raises(UsageError, match="no such directory"):
        files.places(lambda topic: True)
