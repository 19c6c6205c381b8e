"""Walking files by their headers."""

from __future__ import annotations

import struct

import pytest

from pykafka_ops.broker.storage.scan import batches, checked_batches, header_at
from pykafka_ops.disk.legacy import build_messages
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import CorruptBatchError
from tests.support.memory.files import MemoryFile, MemoryFiles
from tests.support.memory.logs import NOW, batch_of


def file_of(*parts: bytes) -> tuple[MemoryFile, int]:
    file = MemoryFiles().open("/f", create=True)
    data = b"".join(parts)
    file.append(data)
    return file, len(data)


def at(offset: int, size: int = 20) -> bytes:
    data = batch_of(b"x" * size)
    struct.pack_into(">q", data, 0, offset)
    return bytes(data)


V1 = build_messages([Record(3, NOW, b"k", b"v")], 1)
V0 = build_messages([Record(2, -1, b"", None)], 0)


@pytest.mark.parametrize("chunk", [64, 100, 333, 1 << 16])
def test_batches_of_all_formats_and_sizes_are_found(chunk: int) -> None:
    parts = [at(0), at(1, 5000), V0, V1, at(4)]
    file, size = file_of(*parts)
    positions = [sum(map(len, parts[:n])) for n in range(len(parts))]
    for walk in (batches, checked_batches):
        found = [step[:2] for step in walk(file, 0, size, chunk=chunk)]
        assert [p for p, _ in found] == positions
        assert [h.last_offset for _, h in found] == [0, 1, 2, 3, 4]
        assert [h.magic for _, h in found] == [2, 2, 0, 1, 2]
        assert [h.max_timestamp for _, h in found] == [NOW, NOW, -1, NOW, NOW]
    assert [h.base_offset for _, h in batches(file, positions[2], size, chunk=chunk)] == [2, 3, 4]


@pytest.mark.parametrize("keep", [0, 1, 16, 17, 18, 40, 60, 61, 62, 80])
def test_a_torn_batch_ends_the_walk(keep: int) -> None:
    torn = at(1)[:keep]
    file, size = file_of(at(0), torn)
    for walk in (batches, checked_batches):
        assert [step[1].base_offset for step in walk(file, 0, size)] == [0]


def test_a_torn_old_message_ends_the_walk() -> None:
    for keep in range(1, len(V0)):
        file, size = file_of(at(0), V0[:keep])
        assert len(list(batches(file, 0, size))) == 1


def test_zeros_and_impossible_lengths_are_damage() -> None:
    for tail in (bytes(100), at(1)[:8] + b"\0\0\0\x0d" + bytes(60)):
        file, size = file_of(at(0), tail)
        with pytest.raises(CorruptBatchError):
            list(batches(file, 0, size))
    file, size = file_of(at(0)[:8] + (20).to_bytes(4, "big") + at(0)[12:32])
    with pytest.raises(CorruptBatchError):
        list(batches(file, 0, size))
    with pytest.raises(CorruptBatchError):
        header_at(at(0)[:8] + (20).to_bytes(4, "big") + at(0)[12:], 0)


@pytest.mark.parametrize("good", [at(0), V0, V1])
def test_a_wrong_checksum_is_damage_for_the_checked_walk_only(good: bytes) -> None:
    bad = good[:-1] + bytes([good[-1] ^ 1])
    file, size = file_of(bad)
    assert len(list(batches(file, 0, size))) == 1
    with pytest.raises(CorruptBatchError, match="stored crc"):
        list(checked_batches(file, 0, size))
