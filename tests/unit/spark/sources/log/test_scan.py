"""Ranges of segments are read as runs of batches, and damage between them is told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.record import Record
from pykafka_ops.disk.salvage import DamagedBytes, sound_batches
from pykafka_ops.spark.sources.log import scan as log_scan
from pykafka_ops.spark.sources.log.scan import (
    CUT_SHORT,
    TORN,
    Bad,
    BatchRun,
    ByteRange,
    Message,
    Piece,
    scan,
)
from tests.support.each import each

GOLDEN = Path(__file__).resolve().parents[4] / "golden" / "segments"
LOGS = sorted(GOLDEN.glob("*/*.log"))


class Bytes:
    """A file in memory; ``missing`` bytes were cut off its end meanwhile."""

    def __init__(self, data: bytes, missing: int = 0) -> None:
        self.data = data[: len(data) - missing]
        self.size = len(data)
        self.reads = 0

    def read_at(self, count: int, position: int) -> bytes:
        self.reads += 1
        return self.data[position : position + count]

    def grown(self, size: int) -> bool:
        return self.size > size

    def close(self) -> None:
        pass


def batches(*sizes: int) -> bytes:
    return b"".join(
        build_batch([Record(n, 1_000, None, b"x" * size)], base_offset=n)
        for n, size in enumerate(sizes)
    )


def places(pieces: list[Piece]) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    for piece in pieces:
        if isinstance(piece, BatchRun):
            found += [("batch", at) for at in piece.positions.tolist()]
        else:
            found.append(("bad" if isinstance(piece, Bad) else "batch", piece.position))
    return found


def read(data: bytes, *, active: bool = True, missing: int = 0, **how: bool) -> list[Piece]:
    return list(
        scan(Bytes(data, missing), ByteRange(0, len(data), 0, active), **{"whole": True} | how)
    )


@each("path", LOGS)
def test_what_kafka_wrote_is_told_as_salvage_tells_it(path: Path) -> None:
    data, base = path.read_bytes(), int(path.stem)
    pieces = list(scan(Bytes(data), ByteRange(0, len(data), base, False), whole=True, crc=True))
    expected = [
        ("bad" if isinstance(found, DamagedBytes) else "batch", found.position)
        for found in sound_batches(data, base_offset=base)
    ]
    assert places(pieces) == expected


def test_the_end_of_a_segment_that_is_written_may_be_torn() -> None:
    data = batches(100, 100, 100)
    for cut in (1, 120, 150):
        torn = data[:-cut]
        whole = 2 if len(torn) >= 2 * len(data) // 3 else 1
        assert places(read(torn)) == [("batch", n * len(data) // 3) for n in range(whole)]
        assert [kind for kind, _ in places(read(torn, active=False))][-1] == "bad"
        said = read(torn, torn=True)[-1]
        assert isinstance(said, Bad) and said.reason == TORN
        assert said.position + said.size == len(torn)
        growing = Bytes(data)
        part = ByteRange(0, len(torn), 0, active=True)
        assert not any(isinstance(p, Bad) for p in scan(growing, part, whole=True, torn=True))
    assert places(read(data + bytes(500), torn=True)) == places(read(data))
    assert places(read(data + bytes(500), active=False))[-1] == ("bad", len(data))


def test_a_wrong_length_with_batches_behind_it_is_no_torn_end() -> None:
    data = bytearray(batches(100, 100, 100))
    one = len(data) // 3
    data[one + 8 : one + 12] = (10**6).to_bytes(4, "big")
    for whole in (True, False):
        pieces = read(bytes(data), whole=whole)
        assert places(pieces) == [("batch", 0), ("bad", one), ("batch", 2 * one)]


def test_a_last_batch_whose_crc_is_wrong_is_told_even_where_it_is_written() -> None:
    data = bytearray(batches(100, 100))
    data[-5] ^= 1
    pieces = read(bytes(data), crc=True)
    assert places(pieces) == [("batch", 0), ("bad", len(data) // 2)]
    assert places(read(bytes(data))) == [("batch", 0), ("batch", len(data) // 2)]


def test_a_file_that_was_cut_after_planning_is_told() -> None:
    data = batches(100, 100)
    for missing in (30, len(data) // 2, len(data) // 2 + 1, len(data)):
        pieces = read(data, missing=missing)
        last = pieces[-1]
        assert isinstance(last, Bad)
        assert last.reason == CUT_SHORT
        assert last.position + last.size == len(data)
        assert len([p for p in places(pieces) if p[0] == "batch"]) == (
            1 if missing <= len(data) // 2 else 0
        )


def test_large_batches_are_skipped_over_by_small_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    data = batches(*[20_000] * 100)
    dense = read(data, whole=False, sparse=False)
    monkeypatch.setattr(log_scan, "_FIRST", 50_000)
    file = Bytes(data)
    sparse = list(scan(file, ByteRange(0, len(data), 0, True), whole=False, sparse=True))
    assert places(sparse) == places(dense)
    heads = [
        np.concatenate([p.heads for p in x if isinstance(p, BatchRun)]) for x in (dense, sparse)
    ]
    assert np.array_equal(heads[0], heads[1])


def test_chunks_smaller_than_batches_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    data = batches(10, 5_000, 300, 70_000, 1)
    expected = places(read(data))
    monkeypatch.setattr(log_scan, "CHUNK", 200)
    assert places(read(data, crc=True)) == expected


@given(
    st.lists(st.integers(0, 400), min_size=1, max_size=6),
    st.lists(st.tuples(st.integers(0, 10**6), st.binary(max_size=20)), max_size=4),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_damage_neither_ends_the_read_nor_loses_its_place(
    sizes: list[int],
    writes: list[tuple[int, bytes]],
    active: bool,
    whole: bool,
    crc: bool,
) -> None:
    data = bytearray(batches(*sizes))
    for at, junk in writes:
        data[at % len(data) : at % len(data) + len(junk)] = junk
    pieces = read(bytes(data), active=active, whole=whole, crc=crc and whole)
    at = 0
    for piece in pieces:
        if isinstance(piece, BatchRun):
            for position, length in zip(
                piece.positions.tolist(), piece.heads["length"].tolist(), strict=True
            ):
                assert position == at
                at += length + 12
        else:
            assert piece.position == at
            at += piece.header.size if isinstance(piece, Message) else piece.size
    assert at == len(data) or (active and at < len(data))
