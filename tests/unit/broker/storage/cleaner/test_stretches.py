"""Usual batches that are cleaned many at a time: the same files as one after the other."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

import pykafka_ops.broker.storage.cleaner.raw as at
from pykafka_ops.broker.storage.cleaner import clean
from pykafka_ops.broker.storage.cleaner.job import CompactionReport
from pykafka_ops.broker.storage.cleaner.keys import KeyMap
from pykafka_ops.disk.batch import set_offsets
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import CorruptBatchError
from tests.support.fuzz.forms import plain, running
from tests.support.fuzz.hot import exact
from tests.support.memory.compaction import CleanWorld, batches

STRETCHES = "broker.storage.cleaner.stretches"
LIMITS: tuple[dict[str, int], ...] = ({"buffer": 700}, {"buffer": 1 << 18, "memory": 3000})
FORMS = (None, plain, running)


def cleaned(form: Any, patch: pytest.MonkeyPatch, fill: Callable[[CleanWorld], None]) -> Any:
    """What is left of a log, and what is told of it; ``form`` None: each batch goes its own way."""
    patch.setattr(clean, "_COMPILED", form is not None)
    if form is not None:
        patch.setattr(clean, "stretches", form(STRETCHES))
    world = CleanWorld(segment_bytes=2000, delete_retention_ms=1000)
    told: list[CompactionReport] = []
    for _ in range(2):
        fill(world)
        world.now += 2000
        told += [world.clean(**limits) for limits in LIMITS]
    return [bytes(data) for _, data in batches(world.log)], [str(one) for one in told]


def mixed(seed: int) -> Callable[[CleanWorld], None]:
    def fill(world: CleanWorld) -> None:
        dice = random.Random(seed)
        for number in range(120):
            some = [
                (f"k{dice.randrange(30)}", dice.choice([None, "v" * dice.randrange(90)]))
                for _ in range(dice.choice([1, 1, 2, 5]))
            ]
            kind = dice.randrange(12)
            if kind == 0:
                world.put(*some, codec=dice.choice(list(Codec)))
            elif kind == 1:
                world.put(
                    *some, producer_id=1000 * seed + number, producer_epoch=0, base_sequence=0
                )
            else:
                world.put(*some)

    return fill


@pytest.mark.parametrize("seed", range(8))
def test_they_leave_what_goes_one_after_the_other_leaves(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *others = [cleaned(form, monkeypatch, mixed(seed)) for form in FORMS]
    assert first[0]
    for other in others:
        assert other == first


@pytest.mark.parametrize("form", [plain, running])
def test_all_that_is_usual_goes_in_one_go(form: Any) -> None:
    data = memoryview(b"".join(usual_batches()))
    keys, fates = KeyMap(1 << 12), bytearray(10)
    assert form(STRETCHES).index(data, 0, 0, keys, fates) == (len(data), 9)
    assert bytes(fates) == bytes([at.DEAD] * 7 + [0] * 3)
    after, stay, keyless = form(STRETCHES).settle(data, 0, fates, 0, 9)
    assert (after, keyless) == (len(data), 0)
    assert [last for _, _, last, _ in stay] == [7, 8, 9]
    for size in range(len(data)):  # what is cut off is left to others
        one = len(data) // 10
        assert form(STRETCHES).index(
            exact(bytes(data[:size])), 0, 0, KeyMap(1 << 12), bytearray(10)
        ) == (
            size // one * one,
            size // one - 1,
        )
        assert (
            form(STRETCHES).settle(exact(bytes(data[:size])), 0, fates, 0, 9)[0]
            == size // one * one
        )


def usual_batches() -> list[bytes]:
    """Ten of one record each, of three keys by turns."""
    found = []
    for number in range(10):
        one = bytearray(build_batch([Record(0, 5, b"k%d" % (number % 3), b"v")]))
        set_offsets(one, 0, number, 0)
        found.append(bytes(one))
    return found


@pytest.mark.parametrize("form", FORMS)
def test_a_damaged_batch_ends_the_compaction(form: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fill(world: CleanWorld) -> None:
        for number in range(40):
            world.put((f"k{number % 3}", "v" * 60))
        world.files.inodes[world.log.segments[0].log.path].data[-5] ^= 1

    with pytest.raises(CorruptBatchError, match="corrupt"):
        cleaned(form, monkeypatch, fill)
