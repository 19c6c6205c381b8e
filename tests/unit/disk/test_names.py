"""Names under a log directory."""

from __future__ import annotations

import pytest

from pykafka_ops.disk import names
from pykafka_ops.disk.names import DirName, SegmentName

UUID = "0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("00000000000000000107.log", SegmentName(107, ".log")),
        ("00000000000000000107.timeindex.deleted", SegmentName(107, ".timeindex", ".deleted")),
        ("00000000000000000000.log.cleaned", SegmentName(0, ".log", ".cleaned")),
        ("00000000000000000000.index.swap", SegmentName(0, ".index", ".swap")),
        ("00000000000000000003.snapshot", SegmentName(3, ".snapshot")),
        ("leader-epoch-checkpoint", None),
        ("partition.metadata", None),
        ("abc.log", None),
        ("-1.log", None),
        ("1.log.other", None),
    ],
)
def test_files_of_a_partition(name: str, expected: SegmentName | None) -> None:
    assert names.parse_segment_file(name) == expected


def test_segment_names_have_twenty_digits() -> None:
    assert names.segment_file(107, ".index") == "00000000000000000107.index"
    assert names.segment_file(2**63 - 1) == "09223372036854775807.log"


@pytest.mark.parametrize("topic", ["a", "a.b-c_d-1", "x" * 249])
@pytest.mark.parametrize("state", ["", "delete", "future", "stray"])
def test_partition_directories_round_trip(topic: str, state: str) -> None:
    if not state:
        assert names.parse_dir(names.partition_dir(topic, 12)) == DirName(topic, 12)
        return
    name = names.marked_dir(topic, 12, state, UUID)
    found = names.parse_dir(name)
    assert found is not None
    assert (found.partition, found.state, found.uuid) == (12, state, UUID)
    assert topic.startswith(found.topic)
    if state != "future":
        assert len(name) <= 255


@pytest.mark.parametrize(
    "name",
    [
        "",
        "topic",
        "topic-",
        "-1",
        "topic-x",
        "topic--",
        "t-1.uuid",
        "t-delete",
        "t-1-delete",
        "topic-99999999999",
        "topic-\u0663",
    ],
)
def test_other_directories_are_not_partitions(name: str) -> None:
    assert names.parse_dir(name) is None
