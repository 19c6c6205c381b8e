"""Where reading begins: as far behind as the indexes allow, and never too far."""

from __future__ import annotations

import random
import tempfile
from io import FileIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.commands.dump_log.segments import (
    Reading,
    SegmentPath,
    SegmentReader,
    segments,
    start_at_offset,
    start_at_time,
)
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.index import OffsetIndex
from pykafka_ops.disk.record import Record
from pykafka_ops.disk.salvage import SoundBatch, sound_batches
from pykafka_ops.errors import UsageError
from tests.support.golden.printed import READABLE, printed
from tests.support.golden.segments import SEGMENTS

INDEXED = [case for case in READABLE if not case.startswith("v0")]


@pytest.mark.parametrize("case", READABLE)
def test_an_offset_is_reached_from_the_last_index_entry_before_it(case: str) -> None:
    for segment in segments([str(SEGMENTS / case)]):
        log = SegmentReader(segment, FileIO(segment.path))
        assert segment.base is not None
        stored = Path(segment.path).with_suffix(".index").read_bytes()
        index = OffsetIndex(segment.base, stored)
        for record in printed(case)[1]:
            if record.file == segment.name:
                start = start_at_offset(log, record.offset)
                assert start == index.lookup(record.offset)[1] <= record.position


@pytest.mark.parametrize("case", INDEXED)
def test_all_before_the_start_of_a_time_is_older(case: str) -> None:
    skipped = 0
    for segment in segments([str(SEGMENTS / case)]):
        log = SegmentReader(segment, FileIO(segment.path))
        mine = [r for r in printed(case)[1] if r.file == segment.name]
        for time in {r.timestamp for r in mine}:
            start = start_at_time(log, time)
            assert all(r.timestamp < time for r in mine if r.position < start)
            skipped += start > 0
    small = all(path.stat().st_size <= 12 for path in (SEGMENTS / case).glob("*.timeindex"))
    assert skipped or small or case.startswith("v1")  # old wrappers are not trusted with times


def test_segments_know_their_place_and_their_neighbours(tmp_path: Path) -> None:
    for name in ("t-a-0", "t-a-1", "plain"):
        (tmp_path / name).mkdir()
        for base in (0, 7, 100):
            (tmp_path / name / f"{base:020}.log").touch()
    found = segments([str(tmp_path)])
    assert [(s.place, s.base, s.following) for s in found[3:6]] == [
        ("t-a-0", 0, 7), ("t-a-0", 7, 100), ("t-a-0", 100, None)
    ]  # fmt: skip
    assert found[0].place == str(tmp_path / "plain") and found[0].topic is None
    assert (found[8].topic, found[8].partition) == ("t-a", 1)


def test_a_log_of_another_name_is_read_without_indexes(tmp_path: Path) -> None:
    path = tmp_path / "copy.log"
    path.write_bytes((SEGMENTS / "v2-none" / f"{0:020}.log").read_bytes())
    (segment,) = segments([str(path)])
    assert segment.base is None
    log = SegmentReader(segment, FileIO(path))
    assert start_at_offset(log, 50) == start_at_time(log, 2**50) == 0
    assert all(isinstance(batch, SoundBatch) for batch in Reading().batches(segment))


def test_a_file_that_cannot_be_read_is_told_and_the_code_is_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reading = Reading()
    assert list(reading.batches(SegmentPath(str(tmp_path / f"{0:020}.log")))) == []
    assert reading.close() == 1
    assert "No such file" in capsys.readouterr().err


@given(st.integers(0, 2**31), st.integers(60, 4000), st.data())
def test_reading_piece_by_piece_gives_what_reading_all_at_once_gives(
    seed: int, stride: int, draw: st.DataObject
) -> None:
    chance = random.Random(seed)
    log = bytearray()
    for n in range(chance.randrange(1, 30)):
        value = chance.randbytes(chance.choice([0, 10, 300]))
        log += build_batch([Record(7 + n, n, b"k", value)], base_offset=7 + n)
    for _ in range(draw.draw(st.integers(0, 4))):
        at = chance.randrange(len(log))
        log[at : at + chance.randrange(90)] = chance.randbytes(chance.randrange(90))
    if not log:
        return
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder, f"{7:020}.log")
        path.write_bytes(log)
        patch.setattr("pykafka_ops.commands.dump_log.segments._STRIDE", stride)
        with FileIO(path) as file:
            pieces = list(SegmentReader(SegmentPath(str(path)), file).batches(0))
    assert pieces == list(sound_batches(bytes(log), base_offset=7))


def test_a_log_cut_while_it_is_read_ends_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pykafka_ops.commands.dump_log.segments._STRIDE", 1000)
    batches = [build_batch([Record(n, 1, b"k", b"v")], base_offset=n) for n in range(100)]
    path = tmp_path / f"{0:020}.log"
    path.write_bytes(b"".join(map(bytes, batches)))
    reading = Reading()
    found = reading.batches(SegmentPath(str(path)))
    seen = [next(found)]
    with path.open("r+b") as file:
        file.truncate(len(batches[0]) * 40 + 5)
    seen += found
    assert 12 <= len(seen) <= 40 and reading.close() == 4
    assert "5 bytes skipped" in capsys.readouterr().err


def test_a_log_cut_before_what_was_read_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pykafka_ops.commands.dump_log.segments._STRIDE", 1000)
    batches = [build_batch([Record(n, 1, b"k", b"v")], base_offset=n) for n in range(100)]
    path = tmp_path / f"{0:020}.log"
    path.write_bytes(b"".join(map(bytes, batches)))
    reading = Reading()
    found = reading.batches(SegmentPath(str(path)))
    for _ in range(50):
        next(found)
    with path.open("r+b") as file:
        file.truncate(100)
    list(found)
    assert reading.close() == 4
    assert "damage at byte 100: cut off while it was read" in capsys.readouterr().err


def test_nothing_to_read_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no log segments"):
        segments([str(tmp_path)])
