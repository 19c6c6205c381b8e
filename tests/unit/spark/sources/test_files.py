"""Log directories are found locally and behind other filesystems; what is none is said so."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from pyarrow import fs

from pykafka_ops.disk.names import marked_dir
from pykafka_ops.errors import StorageError, UsageError
from pykafka_ops.spark.sources.files import Location, find, replicas
from pykafka_ops.spark.sources.options import SourceOptions
from tests.support.spark.log_tables import column, write_log


def test_a_log_directory_has_its_partitions_broker_and_starts(tmp_path: Path) -> None:
    write_log(tmp_path, "a.b-c", [[2], [3]], partition=7)
    write_log(tmp_path, "gone", [[2]]).rename(tmp_path / marked_dir("gone", 0, "delete", "0" * 32))
    (tmp_path / "meta.properties").write_text("#x\nversion=0\nbroker.id=12\n")
    (tmp_path / "log-start-offset-checkpoint").write_text("0\n1\na.b-c 7 3\n")
    (tmp_path / "lost+found").mkdir()
    (found,) = replicas(str(tmp_path))
    assert (found.topic, found.partition, found.broker) == ("a.b-c", 7, 12)
    assert (found.log_dir, found.start_offset, found.whole) == (str(tmp_path), 3, True)
    assert [s.base_offset for s in found.segments] == [0, 2]
    assert all(s.index_size >= 0 and s.txn_index_size == -1 for s in found.segments)


def test_records_before_the_start_of_a_log_are_gone_but_their_batches_take_room(
    tmp_path: Path,
) -> None:
    write_log(tmp_path, "a", [[2, 2], [3]])
    (tmp_path / "log-start-offset-checkpoint").write_text("0\n1\na 0 3\n")
    assert column(tmp_path, "offset", mode="records") == [3, 4, 5, 6]
    assert column(tmp_path, "base_offset") == [0, 2, 4]


def test_a_partition_and_a_segment_can_be_named_themselves(tmp_path: Path) -> None:
    folder = write_log(tmp_path, "a", [[2], [3]], partition=4)
    (one,) = replicas(str(folder))
    assert (one.topic, one.partition, one.log_dir) == ("a", 4, str(tmp_path))
    (first,) = replicas(str(folder / "00000000000000000000.log"))
    assert ([s.base_offset for s in first.segments], first.whole) == ([0], False)
    (last,) = replicas(f"file://{folder}/00000000000000000002.log")
    assert (last.topic, last.segments[0].base_offset, last.whole) == ("a", 2, True)


def test_another_filesystem_gives_the_same(tmp_path: Path) -> None:
    write_log(tmp_path / "data", "a", [[2, 5], [3]])
    (tmp_path / "data" / "meta.properties").write_text("broker.id=3\n")
    place = Location(
        fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem()), "data", "sub://data"
    )
    (found,) = find(place, "sub://data")
    (local,) = replicas(str(tmp_path / "data"))
    assert found.segments == local.segments
    assert (found.topic, found.broker, found.log_dir) == ("a", 3, "sub://data")
    file = place.open(f"{found.path}/{found.segments[0].name}")
    data = (tmp_path / "data" / "a-0" / found.segments[0].name).read_bytes()
    assert (file.size, file.read_at(10, 5), file.read_at(9, 10**9)) == (len(data), data[5:15], b"")
    file.close()


def test_what_is_no_log_directory_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file.txt").write_text("x")
    for location, said in (
        (tmp_path / "missing", "no such directory"),
        (tmp_path / "empty", "no partitions there"),
        (tmp_path / "file.txt", "not a segment"),
        ("nosuch://host/path", "cannot be opened"),
    ):
        with pytest.raises(UsageError) as error:
            replicas(str(location))
        assert said in str(error.value)
        assert str(location) in str(error.value)
        assert "\n" not in str(error.value)


def test_no_permission_and_a_failing_disk_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_log(tmp_path, "a", [[2]])

    def refuse(error: OSError) -> Any:
        def scan(_path: str) -> Any:
            raise error

        return scan

    monkeypatch.setattr("os.scandir", refuse(PermissionError(13, "Permission denied")))
    with pytest.raises(StorageError, match="no permission to read it: run as the user"):
        replicas(str(tmp_path))
    monkeypatch.setattr("os.scandir", refuse(OSError(5, "Input/output error")))
    with pytest.raises(StorageError, match=r"cannot be read: .*Input/output error"):
        replicas(str(tmp_path))


def test_a_newly_empty_log_directory_is_one(tmp_path: Path) -> None:
    (tmp_path / "meta.properties").write_text("broker.id=3\n")
    assert replicas(str(tmp_path)) == []
    assert os.listdir(tmp_path) == ["meta.properties"]


def test_locations_are_parted_by_commas_or_a_json_list() -> None:
    assert SourceOptions({"path": "/a, s3://b/c,"}).places() == ["/a", "s3://b/c"]
    assert SourceOptions({"paths": '["/a,b", "/c", ""]'}).places() == ["/a,b", "/c"]
    for bad in ("[1]", "[", '["a", {}]'):
        with pytest.raises(UsageError, match=r"option paths=.*not (a )?JSON"):
            SourceOptions({"paths": bad}).places()
