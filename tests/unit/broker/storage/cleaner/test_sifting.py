"""The loops of compaction: compiled, plain, and by the sources that are put together, all agree,
whatever is damaged."""

from __future__ import annotations

import random
from typing import Any

import pytest

from pykafka_ops.broker.storage.cleaner import loops
from pykafka_ops.broker.storage.cleaner.keys import KeyMap
from pykafka_ops.disk.record import Record, encode_records
from pykafka_ops.errors import CorruptBatchError
from tests.support.fuzz.forms import plain, running
from tests.support.fuzz.hot import exact
from tests.support.fuzz.mutations import ODD

Records = list[tuple[bytes | None, bytes | None]]
SIFTING = "broker.storage.cleaner.sifting"
SOME: Records = [
    (b"a", b"1"), (b"b", None), (b"a", b"x" * 80), (None, b"v"), (b"", b""), (b"b", b"2"),
    (b"c" * 70, None),
]  # fmt: skip


def encoded(records: Records) -> bytes:
    return bytes(encode_records([Record(n, n, k, v, ()) for n, (k, v) in enumerate(records)], 0, 0))


def outcome(data: bytes, form: Any, name: str, count: int, base: int, start: int) -> Any:
    """What a loop returns and leaves behind, or that it refuses the records: then what it leaves
    is of no use."""
    keys, fates = KeyMap(1 << 12, records=100), bytearray(6)
    keys.put(b"a", start + 3)
    keys.put(b"c" * 70, start + 1)
    span = 0, len(data), count
    arguments = {
        "take_in": (span, (base, 6), start, keys, fates),
        "sift": (span, base, keys, bool(count & 1)),
        "pick": (span, bytearray(b"\0\1\2\5\3\0\0"), bool(count & 1)),
    }[name]
    found = None
    try:
        if form is None:
            flat = [i for one in arguments for i in (one if type(one) is tuple else (one,))]
            found = loops._space[name](data, *flat)
        else:
            found = getattr(form(SIFTING), name)(exact(data), *arguments)
    except (IndexError, OverflowError, CorruptBatchError):
        return (None,)
    shown = found if isinstance(found, int) else tuple(found)
    cells = sorted(keys.cells[n + 2] for n in range(0, 3 * keys.slots, 3) if keys.cells[n])
    return shown, keys.size, cells, bytes(fates)


def alike(data: bytes, count: int, base: int = 0, start: int = 0) -> bool:
    right = True
    for name in ("take_in", "sift", "pick"):
        wanted = outcome(data, None, name, count, base, start)
        for form in (running, plain):
            assert outcome(data, form, name, count, base, start) == wanted, (name, form)
        right = right and wanted[0] is not None
    return right


@pytest.mark.parametrize("base", [0, 5, -9, 2**40])
def test_every_form_keeps_the_same(base: int) -> None:
    for start in (base - 3, base, base + 2, base + 100):
        assert alike(encoded(SOME), len(SOME), base, start)
        assert alike(encoded(SOME[:0]), 0, base, start)


def test_every_form_refuses_the_same() -> None:
    data, right, wrong = encoded(SOME), 0, 0
    values = sorted({*ODD[::3], 2, 11, 0x83})
    for at in range(len(data)):
        for value in {*values, data[at] ^ 1, data[at] + 1 & 255, data[at] ^ 0x80}:
            taken = alike(data[:at] + bytes((value,)) + data[at + 1 :], len(SOME))
            right, wrong = right + taken, wrong + (not taken)
        for bad in (data[:at], data[:at] + data[at + 1 :], data[: at + 1] + data[at:]):
            for count in (len(SOME) - 1, len(SOME), len(SOME) + 1, 0):
                taken = alike(bad, count)
                right, wrong = right + taken, wrong + (not taken)
    assert right > 100 and wrong > 1000


def test_every_form_agrees_about_records_at_random() -> None:
    dice = random.Random(7)
    for _ in range(200):
        some: Records = [
            (dice.choice([None, b"", b"a", b"b", b"c" * 70]), dice.choice([None, b"", b"v" * 200]))
            for _ in range(dice.randrange(8))
        ]
        assert alike(encoded(some), len(some), start=dice.randrange(-2, 8))


def test_a_full_map_says_which_offset_had_no_room() -> None:
    data = encoded([(b"%d" % n, b"v") for n in range(300)])
    seen = []
    for form in (running, plain):
        keys = KeyMap(100 * 24, load=0.9)
        fates = bytearray()
        full = form(SIFTING).take_in(data, (0, len(data), 300), (10, 299), 10, keys, fates)
        assert full == 10 + keys.limit and keys.size == keys.limit
        assert all(keys.get(b"%d" % n) == 10 + n for n in range(keys.limit))
        seen.append(full)
    assert seen[0] == seen[1]


def test_a_batch_with_offsets_at_the_end_of_what_numbers_hold_is_left_to_plain_python() -> None:
    keys = KeyMap(1 << 12)
    base = 2**63 - 3
    data = encoded(SOME[:2])
    span = 0, len(data), 2
    assert loops.take_in(memoryview(data), span, (base, 1), base, keys, bytearray(2)) == -1
    assert keys.get(b"a") == base and keys.get(b"b") == base + 1
    assert loops.sift(memoryview(data), span, base, keys, drop_tombstones=False).kept == 2
