"""Segments in remote storage are read as logs, and what both tiers have is read once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pykafka_ops.errors import UsageError
from pykafka_ops.spark.engines import local_session
from pykafka_ops.spark.inputs import InputQuery
from pykafka_ops.spark.inputs.log_dirs import LogDirInputs
from pykafka_ops.spark.sources import tiers
from pykafka_ops.spark.sources.files import replicas
from tests.support.spark.log_tables import write_log

TOPIC_ID, SEGMENT_ID = "WVX4uGStSfeRVr6yVnmR_Q", "hMU50sJxSBCdwQ3G3hfW-w"  # as Kafka 4.3.1 wrote
SEGMENTS = [[3, 2], [5], [5], [4]]
"""Batches of each segment: 19 records, from offset 0, 5, 10 and 15 on."""
Layout = Callable[[Path, int], Path]


def kafkas(root: Path, partition: int) -> Path:
    """The directory of a partition as ``LocalTieredStorage`` names it."""
    return root / f"orders-{partition}-{TOPIC_ID}"


def aivens(root: Path, partition: int) -> Path:
    """The same of Aiven's plugin."""
    return root / f"orders-{TOPIC_ID}" / str(partition)


@pytest.fixture(params=[kafkas, aivens])
def layout(request: pytest.FixtureRequest) -> Layout:
    found: Layout = request.param
    return found


def move(log: Path, folder: Path, segments: range) -> None:
    """Copy closed segments to remote storage."""
    folder.mkdir(parents=True)
    for path in sorted(log.glob("*.log"))[segments.start : segments.stop]:
        (folder / f"{path.stem}-{SEGMENT_ID}.log").write_bytes(path.read_bytes())
        (folder / f"{path.stem}-{SEGMENT_ID}.index").write_bytes(b"")


def offsets(*places: Path, mode: str = "records") -> list[int]:
    """The offsets that are read of directories, or those of the batches."""
    column = "offset" if mode == "records" else "base_offset"
    paths = json.dumps([str(place) for place in places])
    frame = local_session().read.format("kafka-log").options(paths=paths, mode=mode).load()
    table = frame.toArrow()
    assert set(table.column("topic").to_pylist()) <= {"orders"}
    return sorted(table.column(column).to_pylist())


def test_remote_storage_is_read_alone(tmp_path: Path, layout: Layout) -> None:
    log = write_log(tmp_path / "data", "orders", SEGMENTS)
    move(log, layout(tmp_path / "remote", 0), range(3))
    for place in (tmp_path / "remote", layout(tmp_path / "remote", 0)):
        assert offsets(place) == list(range(15))
        (found,) = replicas(str(place))
        assert (found.topic, found.partition, found.broker) == ("orders", 0, None)


def facts(*places: Path) -> tuple[int, tuple[object, ...], int]:
    """Of the one partition its start, its end and newest time, and its size."""
    found = LogDirInputs(local_session(), [str(place) for place in places], InputQuery())
    partitions, dirs = found.partitions(), found.log_dirs()
    assert partitions is not None
    assert dirs is not None
    (row,), (held,) = partitions.toArrow().to_pylist(), dirs.toArrow().to_pylist()
    return row["start_offset"], (row["end_offset"], row["max_timestamp"]), held["size"]


def test_what_both_tiers_have_is_read_once(tmp_path: Path, layout: Layout) -> None:
    log = write_log(tmp_path / "data", "orders", SEGMENTS)
    move(log, layout(tmp_path / "remote", 0), range(3))
    for path in sorted(log.glob("*"))[:3]:  # the first segment and its indexes
        path.unlink()
    assert offsets(tmp_path / "data") == list(range(5, 19))
    for places in (
        (tmp_path / "data", tmp_path / "remote"),
        (tmp_path / "remote", tmp_path / "data"),
    ):
        assert offsets(*places) == list(range(19))
        assert offsets(*places, mode="batches") == [0, 3, 5, 10, 15]
    starts, ends, sizes = zip(
        *(facts(tmp_path / "data", *more) for more in ((tmp_path / "remote",), ())), strict=True
    )
    assert starts == (0, 5)
    assert ends[0] == ends[1]
    assert sizes[0] == sizes[1]  # of the disk


def test_segments_that_overlap_are_read_up_to_the_next_one(tmp_path: Path) -> None:
    folder = kafkas(tmp_path / "remote", 0)
    move(write_log(tmp_path / "a", "orders", [[3, 2, 4], [6]]), folder, range(1))
    later = write_log(tmp_path / "b", "orders", [[4, 5]], first=5)
    name = f"{5:020d}-{SEGMENT_ID}.log"
    (folder / name).write_bytes((later / f"{5:020d}.log").read_bytes())
    assert offsets(tmp_path / "remote") == list(range(14))


def test_of_a_topic_that_was_made_again_the_newest_counts(tmp_path: Path) -> None:
    import os

    for n, topic_id in enumerate(("AAAAAAAAAAAAAAAAAAAAAA", "BBBBBBBBBBBBBBBBBBBBBB")):
        log = write_log(tmp_path / topic_id, "orders", [[3 + n]])
        folder = tmp_path / "remote" / f"orders-0-{topic_id}"
        move(log, folder, range(1))
        for path in folder.iterdir():
            os.utime(path, (1_000 + n, 1_000 + n))
    assert offsets(tmp_path / "remote") == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "manifest", [{"compression": True}, {"encryption": {"dataKey": "secret", "aad": "x"}}]
)
def test_segments_that_the_plugin_changed_are_refused(
    tmp_path: Path, manifest: dict[str, object]
) -> None:
    folder = aivens(tmp_path / "remote", 0)
    move(write_log(tmp_path / "data", "orders", SEGMENTS), folder, range(1))
    path = folder / f"{0:020d}-{SEGMENT_ID}.rsm-manifest"
    path.write_text(json.dumps({"version": "1", "compression": False}))
    assert offsets(tmp_path / "remote") == list(range(5))
    path.write_text(json.dumps({"version": "1", "compression": False, **manifest}))
    with pytest.raises(UsageError, match=r"through the brokers \(-b\)") as refused:
        replicas(str(tmp_path / "remote"))
    assert "secret" not in str(refused.value)


def test_read_committed_is_refused_where_it_cannot_be_known(tmp_path: Path) -> None:
    folder = kafkas(tmp_path, 0)
    move(write_log(tmp_path / "data", "orders", SEGMENTS), folder, range(2))
    options = {"paths": json.dumps([str(folder)]), "kafka.isolation.level": "read_committed"}
    frame = local_session().read.format("kafka-log").options(mode="records", **options).load()
    with pytest.raises(UsageError, match="which transactions were aborted"):
        frame.toArrow()


def test_names_of_other_things_are_no_remote_storage() -> None:
    assert tiers.parse_dir(f"my-topic-7-{TOPIC_ID}") == ("my-topic", 7)
    assert tiers.parse_dir(f"my-topic-{TOPIC_ID}") == ("my-topic", None)
    assert tiers.parse_dir("my-topic-7") is None
    assert tiers.first_offset(f"{23:020d}-{SEGMENT_ID}.log") == 23
    for name in (
        f"{23:020d}.log",
        f"{23:020d}-{SEGMENT_ID}.index",
        f"{10**19:020d}-{SEGMENT_ID}.log",
    ):
        assert tiers.first_offset(name) is None
