"""A damaged log is read on behind the damage, and every byte is accounted for."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.disk.batch import BatchHeader, read_header, set_offsets
from pykafka_ops.disk.build import assemble, build_batch
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.legacy import build_messages
from pykafka_ops.disk.record import Record
from pykafka_ops.disk.salvage import DamagedBytes, SoundBatch, sound_batches
from tests.support.golden.segments import SEGMENTS


def log_of(count: int, *, base: int = 0, codec: Codec = Codec.NONE) -> list[bytes]:
    """Batches of three records."""
    return [
        bytes(
            build_batch(
                [Record(at + i, 1000 + at, b"k%d" % at, b"v" * (at % 40)) for i in range(3)],
                base_offset=at,
                codec=codec,
            )
        )
        for at in range(base, base + 3 * count, 3)
    ]


def read(data: bytes, base: int | None = 0) -> tuple[list[int], list[DamagedBytes]]:
    """Positions of the sound batches, and the damages; all bytes must be one or the other."""
    sound, damages, at = [], [], 0
    for found in sound_batches(data, base_offset=base):
        assert found.position == at
        if isinstance(found, DamagedBytes):
            assert found.size > 0
            damages.append(found)
            at += found.size
        else:
            assert isinstance(found, SoundBatch)
            sound.append(at)
            at += found.header.size
    assert at == len(data)
    return sound, damages


def starts(batches: list[bytes]) -> list[int]:
    found, at = [], 0
    for batch in batches:
        found.append(at)
        at += len(batch)
    return found


@given(
    st.integers(1, 12),
    st.sampled_from(Codec),
    st.integers(0, 2**40),
    st.data(),
)
def test_batches_that_no_damage_touched_are_all_read(
    count: int, codec: Codec, base: int, draw: st.DataObject
) -> None:
    batches = log_of(count, base=base, codec=codec)
    data, places = bytearray(b"".join(batches)), starts(batches)
    at = draw.draw(st.integers(0, len(data) - 1))
    junk = draw.draw(st.binary(min_size=1, max_size=60))
    junk = junk[: len(data) - at]
    data[at : at + len(junk)] = junk
    sound, _ = read(bytes(data), base)
    touched = {
        place
        for place, batch in zip(places, batches, strict=True)
        if bytes(data[place : place + len(batch)]) != batch
    }
    assert set(places) - touched <= set(sound)


@given(st.integers(2, 8), st.data())
def test_bytes_taken_out_or_put_in_do_not_hide_what_follows(
    count: int, draw: st.DataObject
) -> None:
    batches = log_of(count)
    hurt = draw.draw(st.integers(0, count - 2))
    batch = batches[hurt]
    cut = draw.draw(st.integers(0, len(batch) - 1))
    if draw.draw(st.booleans()):
        batches[hurt] = batch[:cut]
    else:
        batches[hurt] = batch[:cut] + draw.draw(st.binary(min_size=1, max_size=99)) + batch[cut:]
    sound, _ = read(b"".join(batches))
    places = starts(batches)
    # Bytes cut off a batch may equal those that follow it: then the next batch is the one hurt.
    first = hurt + 2 if places[hurt] in sound else hurt + 1
    assert set(places[first:]) <= set(sound)


@given(st.binary(max_size=400), st.one_of(st.none(), st.integers(0, 100)))
def test_garbage_is_damage_and_never_an_error(data: bytes, base: int | None) -> None:
    sound, damages = read(data, base)
    assert not sound
    assert bool(damages) == bool(data)


@pytest.mark.parametrize("magic", [0, 1])
def test_old_formats_go_on_behind_damage_too(magic: int) -> None:
    sets = [
        build_messages([Record(n, 5, b"k", b"value %d" % n)], magic, base_offset=n)
        for n in range(9)
    ]
    data = bytearray(b"".join(sets))
    data[starts(sets)[4] + 30] ^= 1
    sound, damages = read(bytes(data))
    assert sound == [at for n, at in enumerate(starts(sets)) if n != 4]
    assert [(d.position, d.size) for d in damages] == [(starts(sets)[4], len(sets[4]))]


def test_a_batch_inside_a_damaged_payload_is_no_batch_of_the_log() -> None:
    inner = bytes(build_batch([Record(5, 1, b"inner", b"v")], base_offset=5))
    outer = build_batch([Record(0, 1, b"k", b"x" * 50 + inner + b"y" * 50)])
    after = bytes(build_batch([Record(1, 1, b"k", b"v")], base_offset=1))
    outer[70] ^= 1
    sound, damages = read(bytes(outer) + after)
    assert sound == [len(outer)]
    assert damages[0].reason.startswith("wrong CRC")


def test_a_broken_header_that_claims_all_the_rest_hides_nothing() -> None:
    batches = log_of(2)
    end = len(batches[0]) + 5 + len(batches[1]) - 12
    hurt = batches[0][:11] + bytes([end, 9, 9, 9, 9]) + batches[0][11:]
    sound, damages = read(hurt + batches[1])
    assert sound == [len(hurt)] and damages[0].size == len(hurt)


def test_the_last_batch_of_a_file_is_not_searched_for_batches_in_its_payload() -> None:
    inner = bytes(build_batch([Record(5, 1, b"inner", b"v")], base_offset=5))
    outer = build_batch([Record(0, 1, b"k", b"x" * 50 + inner + b"y" * 50)])
    outer[70] ^= 1
    assert read(bytes(outer))[0] == []


def test_offsets_that_do_not_fit_are_not_taken_for_the_log() -> None:
    first, last = log_of(1)[0], log_of(1, base=3)[0]
    stale = log_of(1, base=0)[0]  # what a disk may still hold of an earlier file
    sound, damages = read(first + b"\x07" * 40 + stale + last)
    assert sound == [0, len(first) + 40 + len(stale)]
    assert len(damages) == 1


def test_zeros_are_told_as_such_and_passed_over_fast() -> None:
    batches = log_of(2)
    tail = bytes(5_000_000)
    sound, damages = read(batches[0] + tail)
    assert sound == [0] and damages[0].reason == "only zeros from here on"
    sound, damages = read(batches[0] + tail + batches[1])
    assert sound == [0, len(batches[0]) + len(tail)]
    assert damages[0].size == len(tail)


def test_what_merely_looks_like_batches_costs_no_quadratic_time() -> None:
    header = bytearray(log_of(1)[0][:61])
    set_offsets(header, 0, 50, 0)
    many = bytearray()
    size = 61 * 4000
    for n in range(4000):
        header[8:12] = (size - 61 * n - 12).to_bytes(4, "big")  # each claims all the rest
        many += header
    sound, _ = read(log_of(1)[0] + bytes(many))
    assert sound == [0]


def test_impossible_headers_with_a_right_crc_are_damage() -> None:
    good = build_batch([Record(0, 1, b"k", b"v")])
    fewer = assemble(read_header(good)._replace(record_count=-1), good[61:])
    unknown = assemble(read_header(good)._replace(attributes=7), good[61:])
    _, damages = read(bytes(fewer + unknown))
    assert "-1 records" in damages[0].reason
    _, damages = read(bytes(unknown))
    assert damages[0].reason == "unknown codec 7"


@pytest.mark.parametrize(
    "case",
    ["damage-flip-v0-gzip", "damage-flip-v1-none", "damage-flip-v2-gzip", "damage-flip-v2-none"],
)
def test_one_flipped_bit_costs_one_batch_of_a_log_of_kafkas(case: str) -> None:
    hurt = (SEGMENTS / case / f"{0:020}.log").read_bytes()
    whole = (SEGMENTS / case.removeprefix("damage-flip-") / f"{0:020}.log").read_bytes()
    (lost,) = read(hurt)[1]
    assert read(whole)[1] == []
    assert read(hurt)[0] == [at for at in read(whole)[0] if at != lost.position]


def test_it_begins_where_it_is_told(tmp_path: Path) -> None:
    batches = log_of(3)
    found = list(sound_batches(b"".join(batches), len(batches[0]), base_offset=0))
    headers = [batch.header for batch in found if isinstance(batch, SoundBatch)]
    assert [h.base_offset for h in headers if isinstance(h, BatchHeader)] == [3, 6]
