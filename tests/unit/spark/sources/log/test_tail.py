"""What is missing from a log directory is told, wherever it was cut."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.disk.names import INDEX_SUFFIX, TIME_INDEX_SUFFIX, segment_file
from pykafka_ops.errors import CorruptError
from pykafka_ops.spark import schemas
from pykafka_ops.spark.engines import local_session
from pykafka_ops.spark.inputs import InputQuery
from pykafka_ops.spark.inputs.log_dirs import LogDirInputs
from pykafka_ops.spark.sources import place
from tests.support.spark.log_tables import column, table, write_log

SEGMENTS = ([5, 5, 5], [5, 5], [5])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Fifteen, ten and five records, in batches of five. Nobody is about to write more."""
    monkeypatch.setattr(place, "_PAUSE", 0)
    return write_log(tmp_path / "logs", "orders", SEGMENTS)


def problems(folder: Path, **options: object) -> list[tuple[str, str]]:
    """Segment and reason of each row that says what is wrong."""
    rows = table(folder.parent, checkCrc="true", **options).to_pylist()
    return [(row["segment"], row["problem"]) for row in rows if row["problem"] is not None]


def said(folder: Path) -> list[str]:
    """The same where records are read, and the column is asked for."""
    columns = ",".join(schemas.KEYS_AND_DAMAGE.names)
    found = column(folder.parent, "problem", mode="records", columns=columns)
    return [problem for problem in found if problem is not None]


def cut(folder: Path, base: int, whole: int, more: int = 0) -> None:
    """Leave so many batches of a segment, and some bytes of the next."""
    path = folder / segment_file(base)
    size = int.from_bytes(path.read_bytes()[8:12], "big") + 12
    os.truncate(path, size * whole + more)


def test_a_sound_log_has_no_problems(folder: Path) -> None:
    assert problems(folder) == said(folder) == []


@pytest.mark.parametrize("base", [0, 15, 25])
def test_a_segment_cut_within_a_batch_is_told(folder: Path, base: int) -> None:
    cut(folder, base, 0, more=70)
    ((segment, reason),) = problems(folder)
    assert segment == segment_file(base)
    (line,) = said(folder)
    assert line == f"{folder}/{segment} at byte 0: {reason}"


@pytest.mark.parametrize(
    ("base", "left", "end"), [(0, 2, 14), (0, 0, 14), (15, 1, 24), (25, 0, 29)]
)
def test_a_segment_cut_between_batches_is_told_by_its_indexes(
    folder: Path, base: int, left: int, end: int
) -> None:
    cut(folder, base, left)
    there = f"offset {base + 5 * left - 1} is the last" if left else "nothing is there"
    reason = f"cut off: {there}, its index knows offset {end}"
    assert problems(folder) == [(segment_file(base), reason)]
    assert [line.split(": ", 1)[1] for line in said(folder)] == [reason]


def test_an_index_that_is_being_written_says_nothing(folder: Path) -> None:
    cut(folder, 25, 0)
    for suffix in (INDEX_SUFFIX, TIME_INDEX_SUFFIX):
        (folder / segment_file(25, suffix)).write_bytes(bytes(1200))
    assert problems(folder) == []


def test_a_wrong_byte_is_told_where_records_are_read_too(folder: Path) -> None:
    path = folder / segment_file(15)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    ((segment, reason),) = problems(folder)
    assert (segment, "wrong CRC" in reason) == (path.name, True)
    (line,) = said(folder)
    assert line.startswith(f"{path} at byte {len(data) // 2}: wrong CRC")


def test_links_to_nothing_are_told(folder: Path) -> None:
    middle = folder / segment_file(15)
    middle.unlink()
    middle.symlink_to("/nowhere")
    (folder.parent / "orders-1").symlink_to("/nowhere")
    (folder.parent / "notes").symlink_to("/nowhere")
    found: dict[Any, Any] = dict(problems(folder))
    assert found == {middle.name: "a link to nothing", None: "a link to nothing"}
    assert len(said(folder)) == 2
    with pytest.raises(CorruptError, match="a link to nothing"):
        table(folder.parent, strict="true")
    held = LogDirInputs(local_session(), [str(folder.parent)], InputQuery()).partitions()
    assert held is not None
    assert held.toArrow()["partition"].to_pylist() == [0]
