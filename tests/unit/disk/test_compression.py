"""Codecs: round trips, Kafka's framings, and caps that a bomb cannot pass."""

from __future__ import annotations

import gzip
import random
import tracemalloc
import zlib

import cramjam
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.disk import compression, lz4, snappy, zstd
from pykafka_ops.disk.compression import Codec, codec_of, compress, decompress, unpack
from pykafka_ops.disk.pieces import PIECE, UnpackedInto
from pykafka_ops.errors import CorruptBatchError
from tests.support.fuzz.mutations import changed
from tests.support.raising import raises_only

CODECS = list(Codec)
PACKED = [codec for codec in Codec if codec]
LIMIT = 1 << 20


def peak_of(codec: Codec, data: bytes, limit: int) -> int:
    """Bytes allocated at most while ``data`` is refused."""
    tracemalloc.start()
    try:
        with pytest.raises(CorruptBatchError):
            decompress(codec, data, limit)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("codec", CODECS)
@given(data=st.binary(max_size=3000))
def test_every_codec_gives_back_what_went_in(codec: Codec, data: bytes) -> None:
    assert decompress(codec, compress(codec, data), len(data)) == data


@pytest.mark.parametrize("codec", CODECS)
def test_data_of_many_blocks_round_trips(codec: Codec) -> None:
    data = b"".join(b"%d," % n for n in range(120_000))
    packed = compress(codec, memoryview(data))
    assert decompress(codec, memoryview(packed), len(data)) == data


@pytest.mark.parametrize("codec", CODECS)
def test_memory_that_is_used_again_has_what_came_last_and_no_more_than_it_holds(
    codec: Codec,
) -> None:
    memory = memoryview(bytearray(200_000))
    for data in (b"0123456789" * 20_000, b"", b"second " * 10_000, b"x"):
        assert unpack(codec, compress(codec, data), UnpackedInto(memory)) == data
    packed = compress(codec, bytes(200_001))
    with pytest.raises(CorruptBatchError):
        unpack(codec, packed, UnpackedInto(memory))


@pytest.mark.parametrize("codec", PACKED)
def test_output_of_exactly_the_limit_passes_and_one_byte_more_does_not(codec: Codec) -> None:
    packed = compress(codec, b"abcdefgh" * 5000)
    assert len(decompress(codec, packed, 40_000)) == 40_000
    with pytest.raises(CorruptBatchError):
        decompress(codec, packed, 39_999)


@pytest.mark.parametrize("codec", PACKED)
def test_a_bomb_is_refused_without_allocating_past_the_limit(codec: Codec) -> None:
    bomb = compress(codec, bytes(64 << 20))
    assert peak_of(codec, bomb, 4 * LIMIT) <= 3 * 4 * LIMIT


def test_a_zstd_bomb_without_content_size_is_refused() -> None:
    packer = cramjam.zstd.Compressor(level=3)
    for _ in range(64):
        packer.compress(bytes(1 << 20))
    bomb = bytes(packer.finish())
    assert peak_of(Codec.ZSTD, bomb, LIMIT) <= 4 * LIMIT


def test_a_gzip_bomb_of_endless_members_is_refused() -> None:
    with pytest.raises(CorruptBatchError, match="members"):
        decompress(Codec.GZIP, gzip.compress(b"") * 50_000, LIMIT)


def test_gzip_members_are_joined_and_what_follows_is_ignored() -> None:
    packed = gzip.compress(b"one ") + gzip.compress(b"two") + b"junk"
    assert decompress(Codec.GZIP, packed, LIMIT) == b"one two"


@pytest.mark.parametrize("codec", PACKED)
@given(cut=st.integers(min_value=0, max_value=400))
def test_cut_data_is_corrupt(codec: Codec, cut: int) -> None:
    packed = compress(codec, b"".join(b"%d " % (n * n) for n in range(300)))
    cut = min(cut, len(packed) - 1)
    if codec is Codec.SNAPPY and cut == 16:
        assert decompress(codec, packed[:cut], LIMIT) == b"", "xerial streams have no end mark"
        return
    with pytest.raises(CorruptBatchError):
        decompress(codec, packed[:cut], LIMIT)


@pytest.mark.parametrize("codec", PACKED)
@given(data=st.data())
def test_mutated_data_gives_bytes_or_a_corrupt_error(codec: Codec, data: st.DataObject) -> None:
    packed = bytearray(compress(codec, b"the quick brown fox " * 40))
    for _ in range(data.draw(st.integers(1, 4))):
        packed[data.draw(st.integers(0, len(packed) - 1))] = data.draw(st.integers(0, 255))
    with raises_only(CorruptBatchError):
        assert len(decompress(codec, bytes(packed), LIMIT)) <= LIMIT


@pytest.mark.parametrize("codec", PACKED)
@given(data=st.binary(max_size=200))
def test_noise_gives_bytes_or_a_corrupt_error(codec: Codec, data: bytes) -> None:
    with raises_only(CorruptBatchError):
        decompress(codec, data, LIMIT)


def test_raw_snappy_without_the_xerial_header_is_read() -> None:
    raw = bytes(cramjam.snappy.compress_raw(b"hello hello hello"))
    assert decompress(Codec.SNAPPY, raw, LIMIT) == b"hello hello hello"


def test_snappy_that_claims_two_gigabytes_is_refused_at_once() -> None:
    claim = b"\xff\xff\xff\xff\x07" + b"x" * 100
    assert peak_of(Codec.SNAPPY, claim, 2**31 - 1) < LIMIT


@pytest.mark.parametrize(
    "tail", [b"\x00\x00", b"\x00\x00\x00\x00", b"\xff\xff\xff\xff", b"\x7f\0\0\0"]
)
def test_a_wrong_xerial_block_length_is_corrupt(tail: bytes) -> None:
    with pytest.raises(CorruptBatchError):
        decompress(Codec.SNAPPY, snappy.compress(b"abc") + tail, LIMIT)


def test_lz4_frames_carry_the_header_checksum_of_their_message_format() -> None:
    # The bytes Kafka's own writers produce for both formats (see the golden v0 and v1 segments).
    assert lz4.compress(b"")[:7].hex() == "04224d18604082"
    assert lz4.compress(b"", v0_header=True)[:7].hex() == "04224d1860401a"
    old = lz4.compress(b"abc", v0_header=True)
    assert decompress(Codec.LZ4, old, LIMIT, v0_header=True) == b"abc"
    with pytest.raises(CorruptBatchError, match="checksum"):
        decompress(Codec.LZ4, old, LIMIT)


def test_lz4_incompressible_blocks_are_stored() -> None:
    data = bytes(range(256)) * 2
    frame = lz4.compress(data)
    assert frame[7:11] == (512 | 0x8000_0000).to_bytes(4, "little") or len(frame) < 512
    assert decompress(Codec.LZ4, frame, LIMIT) == data


@pytest.mark.parametrize("checked", [True, False])
def test_lz4_frames_of_other_writers_are_read(checked: bool) -> None:
    data, frame = other_frame(checked=checked)
    assert decompress(Codec.LZ4, frame, len(data)) == data
    with pytest.raises(CorruptBatchError):
        decompress(Codec.LZ4, frame, len(data) - 1)


def other_frame(*, linked: bool = False, checked: bool = False) -> tuple[bytes, bytes]:
    packer = cramjam.lz4.Compressor(level=1, content_checksum=checked, block_linked=linked)
    data = b"".join(b"%d;" % n for n in range(60_000))
    packer.compress(data)
    return data, bytes(packer.finish())


def test_lz4_frames_of_linked_blocks_are_corrupt_as_kafka_cannot_read_them() -> None:
    with pytest.raises(CorruptBatchError, match="Dependent block stream is unsupported"):
        decompress(Codec.LZ4, other_frame(linked=True)[1], LIMIT)


def test_lz4_block_checksums_are_checked() -> None:
    """A frame of one stored block, with its checksum."""
    plain = b"abc"
    flags = b"\x70\x40"
    frame = b"\x04\x22\x4d\x18" + flags + bytes([lz4.xxh32(flags) >> 8 & 0xFF])
    block = (3 | 0x8000_0000).to_bytes(4, "little") + plain
    good = frame + block + lz4.xxh32(plain).to_bytes(4, "little") + bytes(4)
    assert decompress(Codec.LZ4, good, LIMIT) == plain
    with pytest.raises(CorruptBatchError):
        decompress(Codec.LZ4, good.replace(b"abc", b"abd"), LIMIT)


def test_snappy_streams_behind_one_another_are_read() -> None:
    both = snappy.compress(b"one") + snappy.compress(b" two")
    assert decompress(Codec.SNAPPY, both, LIMIT) == b"one two"


def test_lz4_header_with_a_wrong_checksum_is_corrupt() -> None:
    frame = bytearray(lz4.compress(b"abc"))
    frame[6] ^= 1
    with pytest.raises(CorruptBatchError, match="checksum"):
        decompress(Codec.LZ4, frame, LIMIT)


def test_zstd_reads_several_frames_and_skips_skippable_ones() -> None:
    skippable = bytes.fromhex("502a4d18") + (3).to_bytes(4, "little") + b"abc"
    packed = zstd.compress(b"one ") + skippable + zstd.compress(b"two")
    assert decompress(Codec.ZSTD, packed, LIMIT) == b"one two"


@pytest.mark.parametrize("size", [0, 1, 255, 256, 70_000, 200_000])
def test_zstd_content_sizes_of_every_width(size: int) -> None:
    data = bytes(size)
    assert decompress(Codec.ZSTD, zstd.compress(data), size) == data


def test_unknown_codec_ids_are_corrupt() -> None:
    for code in (5, 6, 7):
        with pytest.raises(CorruptBatchError, match=f"id: {code}"):
            codec_of(code)
    assert codec_of(0x7C & ~7 | 4) is Codec.ZSTD


def test_levels_change_the_size() -> None:
    data = b"".join(b"%d %d," % (n, n * n % 97) for n in range(20_000))
    for codec, low, high in ((Codec.GZIP, 1, 9), (Codec.ZSTD, 1, 19)):
        assert len(compress(codec, data, high)) < len(compress(codec, data, low))


@pytest.mark.parametrize("codec", [Codec.GZIP, Codec.ZSTD, Codec.SNAPPY, Codec.LZ4])
def test_what_expands_to_many_pieces_comes_back_whole(codec: Codec) -> None:
    plain = b"0123456789abcdef" * (3 * PIECE // 16) + b"end"
    assert decompress(codec, compress(codec, plain), len(plain)) == plain
    with pytest.raises(CorruptBatchError):
        decompress(codec, compress(codec, plain), len(plain) - 1)


def test_gzip_of_several_members_of_several_pieces_comes_back_whole() -> None:
    plain = bytes(range(256)) * (2 * PIECE // 256)
    packed = compress(Codec.GZIP, plain) + compress(Codec.GZIP, b"") + compress(Codec.GZIP, plain)
    assert decompress(Codec.GZIP, packed, 2 * len(plain)) == 2 * plain
    for cut in (packed[:-9], packed[: len(packed) // 2]):
        with pytest.raises(CorruptBatchError):
            decompress(Codec.GZIP, cut, 2 * len(plain))


@pytest.mark.parametrize("level", [0, 1, 6, 9])
def test_gzip_is_read_and_refused_the_same_by_either_library(
    level: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert compression._zlib() is not zlib
    dice = random.Random(level)
    plain = b"".join(b'{"id":%d}' % dice.randrange(99) for _ in range(200)) + dice.randbytes(500)
    packed = gzip.compress(plain, level, mtime=0)
    read = 0
    for _ in range(300):
        data = changed(dice, [packed, packed + packed])
        found = []
        for library in (compression._zlib(), zlib):
            with monkeypatch.context() as patched:
                patched.setattr(compression, "_zlib", lambda library=library: library)
                try:
                    found.append(decompress(Codec.GZIP, data, LIMIT))
                except CorruptBatchError:
                    found.append(b"refused")
        assert found[0] == found[1]
        read += found[0] != b"refused"
    assert 0 < read < 300
