"""The same bytes to the compiled modules, to the plain ones, and to the careful code.

Functions of the first two do not differ in anything. What they take, the careful code takes and
leaves as it is; what it takes and they do not, is only slower.
"""

from __future__ import annotations

import ctypes
import struct
from functools import cache
from typing import Any

from pykafka_ops.broker.state.producers import Origin
from pykafka_ops.broker.storage.validate import ValidationRules, prepare
from pykafka_ops.disk.batch import HEADER_SIZE, BatchHeader, read_header
from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.record import Record
from pykafka_ops.disk.survey import as_promised, survey_records
from pykafka_ops.errors import CorruptBatchError, KafkaError
from tests.support.fuzz.forms import exposed, plain, running
from tests.support.fuzz.mended import mended
from tests.support.fuzz.seeds import golden_batches, plain_payloads
from tests.support.memory.handler_site import batch
from tests.support.memory.logs import World

Outcome = object
_HEAD = struct.Struct(">Hqq")
_PRODUCER_AT = 43
_USUAL_BYTES = 1 << 20


def outcome(function: Any, *arguments: Any) -> Outcome:
    """What it returns, or that it raises."""
    try:
        return function(*arguments)
    except (IndexError, struct.error, OverflowError, ValueError) as error:
        return "raises", isinstance(error, OverflowError)


def exact(data: bytes) -> memoryview:
    """The same bytes in memory that ends with them, for sanitizers: behind bytes of Python stands
    one more."""
    return memoryview((ctypes.c_ubyte * len(data)).from_buffer_copy(data)).cast("B")


# -- single bytes ----------------------------------------------------------------------------------


def raw(data: bytes) -> None:
    """Numbers, checksums and comparisons; four bytes say where."""
    if (c := exposed()) is None or len(data) < 4:
        return
    python = plain("broker.hot.raw")
    place, size = struct.unpack_from(">HH", data)
    place, size, view = place % (len(data) + 1), size % (len(data) + 9), memoryview(data)
    own = exact(data)
    if len(data) >= HEADER_SIZE:
        assert c.header(own) == python.header(data)
        assert c.covered(own) == python.covered(view)
        made, room = bytearray(data), bytearray(data)
        first, length, epoch = struct.unpack_from(">Qii", data, len(data) - 16)
        c.stamp(made, first >> 1, length, epoch)
        python.stamp(memoryview(room), first >> 1, length, epoch)
        assert made == room
    for name in ("pair", "length"):
        assert outcome(getattr(c, name), own, place) == outcome(getattr(python, name), data, place)
    assert c.api(own) == python.api(view)
    assert c.checksum(own[place:]) == python.checksum(data[place:])
    assert c.ends(own, size) == python.ends(view, size)
    for wanted in (data[place : place + size], data[:size], b"", b"\0"):
        assert c.holds(own, place, wanted) == python.holds(view, place, wanted)
    ours, theirs = running("broker.hot.produce").length_at, plain("broker.hot.produce").length_at
    assert ours(own, place) == theirs(data, place)
    found, known = c.record(own, place), python.record(data, place)
    assert found == known if known[0] >= 0 else found[0] < 0


def raw_seeds() -> list[bytes]:
    """Batches behind two small numbers, short bytes, zeros at the end."""
    found = [struct.pack(">HH", n, 40) + one[:300] for n, one in enumerate(golden_batches())]
    return [*found, bytes(9), b"\0\3\0\5abcde\0\0\0", b"\0\4\0\4" + b"\xff" * 9, bytes(80)]


# -- records ---------------------------------------------------------------------------------------


def record_headers(data: bytes) -> None:
    """The records of a batch behind what its header promises of them: number, times."""
    if len(data) < _HEAD.size:
        return
    count, base, latest = _HEAD.unpack_from(data)
    for promise in ((count, base, latest), (count, 50, 50)):
        records_alike(data, _HEAD.size, *promise)


def records_alike(data: bytes, place: int, count: int, base: int, latest: int) -> bool:
    """Whether records that fill ``data`` from ``place`` on are taken; by all forms, if by one."""
    ours = running("broker.hot.records").in_order(exact(data), place, base, latest, count)
    assert ours == plain("broker.hot.records").in_order(data, place, base, latest, count)
    header = _promise(count, base, latest)
    by_columns = as_promised(data, place, header)
    if ours or by_columns:
        seen = _careful(data, place, header)
        assert seen is not None, "taken, though the careful code refuses it"
        assert seen == (count, latest, True), "taken, though it is not as promised"
    return bool(ours)


@cache
def _promise(count: int, base: int, latest: int) -> BatchHeader:
    fields = read_header(bytes(HEADER_SIZE))
    return fields._replace(
        record_count=count,
        last_offset_delta=count - 1,
        base_timestamp=base,
        max_timestamp=latest,
    )


def _careful(data: bytes, place: int, header: BatchHeader) -> tuple[int, int, bool] | None:
    try:
        seen = survey_records(data, place, header)
    except CorruptBatchError:
        return None
    return seen.records, seen.max_timestamp, seen.offsets_in_order


def record_seeds() -> list[bytes]:
    """Records of golden batches and of small ones, with what their headers promise."""
    found = []
    for one in (*small_batches(), *(b for b in golden_batches() if b[16] == 2 and not b[22] & 7)):
        header = read_header(one)
        promise = header.record_count, header.base_timestamp, header.max_timestamp
        if header.record_count < 1 << 16:
            found.append(_HEAD.pack(*promise) + one[HEADER_SIZE:])
    return found + [_HEAD.pack(*struct.unpack(">H", p[:2]), 0, 0) + p[2:] for p in plain_payloads()]


# -- batches ---------------------------------------------------------------------------------------


def usual_batches(data: bytes) -> None:
    """A batch as a producer sends it, as it is, and with length and checksum put right."""
    for one in (data, bytes(mended(data))):
        batch_alike(one)


def batch_alike(one: bytes) -> bool:
    """Whether the batch is the usual one to some form; then it is right to the careful code.

    The forms go through records in different ways, and each leaves others to the careful code:
    lengths that take more bytes than they must, times far apart.
    """
    forms = [
        form("broker.hot.append").checked(_tail(form), memoryview(bytearray(one)))
        for form in (running, plain)
    ]
    taken = [fields for fields in forms if fields is not None]
    if not taken:
        return False
    world = _world()
    rules = ValidationRules(world.config, "t-0", world.now, Origin.CLIENT, False)
    try:
        prepared = prepare(memoryview(bytearray(one)), rules)
    except (KafkaError, CorruptBatchError) as error:
        raise AssertionError(f"taken, though the careful code refuses it: {error}") from error
    assert prepared is not None and bytes(prepared.data) == one, "taken, though to be rewritten"
    for fields in taken:
        assert tuple(prepared.header) == tuple(fields)
    if prepared.header.producer_id >= 0:
        assert (prepared.header.producer_id, *prepared.header[10:12]) == (5, 0, 7), (
            "out of sequence"
        )
    assert not prepared.header.is_transactional, "in no transaction"
    return True


@cache
def _world() -> World:
    return World()


@cache
def _tail(form: Any) -> Any:
    """The end of a log to which producer 5 has written up to sequence 6."""
    heads = form("broker.hot.heads")
    tail, producers, state = heads.TailHead(), heads.ProducersHead(), heads.ProducerHead()
    state.batches, state.epoch = [(6, 6, 0, 9)], 0
    state.last_timestamp, state.txn_first_offset = 9, -1
    producers.states, producers.verifications, producers.end_offset = {5: state}, {}, 7
    tail.producers, tail.usual_bytes = producers, _USUAL_BYTES
    return tail


def small_batches() -> list[bytes]:
    """Batches so small that each of their bytes can be changed in turn."""
    headers = [("h", b"v"), ("n", None)]
    return [
        batch(b"value"),
        batch(b"a", b"b" * 70, b""),
        bytes(build_batch([Record(0, 1000, None, b"x", headers), Record(1, 999, b"", None, [])])),
        batch(b"x", b"y", producer_id=5, producer_epoch=0, base_sequence=7),
    ]


def batch_seeds() -> list[bytes]:
    """Golden batches, as their producers sent them too, and small ones."""
    return [*small_batches(), *golden_batches(), *(sent(b) for b in golden_batches() if b[16] == 2)]


def sent(stored: bytes) -> bytes:
    """A batch as its producer may have sent it: from offset 0 on, after those of producer 5."""
    out = bytearray(stored)
    out[:8] = bytes(8)
    if read_header(stored).producer_id >= 0:
        struct.pack_into(">qhi", out, _PRODUCER_AT, 5, 0, 7)
    return bytes(mended(bytes(out)))
