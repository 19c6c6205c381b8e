"""Frame buffers hold what arrived, and a claimed length alone allocates nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.broker.runtime.sockets.buffers import (
    EAGER_BUDGET,
    FIRST_GROWTH,
    POOL_CLASSES,
    POOL_KEEP,
    BufferPool,
    FrameBuffer,
)
from pykafka_ops.broker.state.memory import Memory

MIB = 1024 * 1024


def fill(pool: BufferPool, buffer: FrameBuffer, data: bytes) -> None:
    """Let ``data`` arrive as a transport would: as much as there is room for, again and again."""
    position = 0
    while position < len(data):
        if buffer.full:
            assert pool.grow(buffer, lambda: None)
        room = buffer.room()
        assert len(room) > 0
        part = data[position : position + len(room)]
        room[: len(part)] = part
        buffer.filled += len(part)
        position += len(part)
        room.release()


@given(size=st.integers(1, 400_000), have=st.integers(0, 400_000), spent=st.booleans())
def test_a_frame_is_put_together_from_what_arrives(size: int, have: int, spent: bool) -> None:
    pool = BufferPool(Memory())
    if spent:
        pool._eager = EAGER_BUDGET
    have = min(have, size - 1)
    data = bytes(i % 251 for i in range(1000)) * (size // 1000 + 1)
    buffer = pool.take(size, memoryview(data)[:have])
    assert not buffer.complete
    fill(pool, buffer, data[have:size])
    assert buffer.complete
    assert bytes(memoryview(buffer.data)[:size]) == data[:size]


def test_there_is_never_room_beyond_the_frame() -> None:
    buffer = BufferPool(Memory()).take(100_000, memoryview(b"x" * 99_990))
    assert len(buffer.room()) == 10


def test_a_claim_of_100_mib_costs_what_has_arrived() -> None:
    pool = BufferPool(Memory())
    buffer = pool.take(100 * MIB, memoryview(b"x" * 10))
    assert pool.held == FIRST_GROWTH
    while buffer.filled < MIB:
        buffer.filled += len(buffer.room())
        assert pool.grow(buffer, lambda: None)
        assert pool.held == len(buffer.data) <= 2 * buffer.filled


def test_eager_memory_is_bounded_for_all_connections_together() -> None:
    pool = BufferPool(Memory())
    buffers = [pool.take(4 * MIB, memoryview(b"")) for _ in range(1000)]
    assert sum(len(b.data) for b in buffers) <= EAGER_BUDGET + 1000 * FIRST_GROWTH
    for buffer in buffers:
        pool.give_back(buffer)
    assert len(pool.take(4 * MIB, memoryview(b"")).data) == POOL_CLASSES[-1]


def test_memory_is_used_again_but_not_hoarded() -> None:
    pool = BufferPool(Memory())
    first = pool.take(MIB, memoryview(b""))
    data = first.data
    pool.give_back(first)
    pool.give_back(first)
    assert pool.take(MIB, memoryview(b"")).data is data
    many = [pool.take(MIB, memoryview(b"")) for _ in range(POOL_KEEP * 3)]
    for buffer in many:
        pool.give_back(buffer)
    assert sum(map(len, pool._free.values())) == POOL_KEEP


@pytest.mark.parametrize("size", [POOL_CLASSES[-1] + 1, 100 * MIB])
def test_buffers_that_grew_are_not_kept(size: int) -> None:
    pool = BufferPool(Memory())
    pool.give_back(pool.take(size, memoryview(b"")))
    assert not any(pool._free.values())


def half_of(pool: BufferPool, size: int) -> FrameBuffer:
    """A frame that has used up its memory, half of ``size``."""
    buffer = pool.take(size, memoryview(bytes(size // 4)))
    buffer.filled = len(buffer.data)
    assert buffer.full
    return buffer


def test_over_the_limit_frames_wait_and_go_on_in_order() -> None:
    pool, resumed = BufferPool(Memory(50 * MIB)), list[str]()
    first, second, third = (half_of(pool, 24 * MIB) for _ in range(3))
    assert pool.held == 36 * MIB
    assert pool.grow(first, lambda: None)
    assert not pool.grow(second, lambda: resumed.append("second"))
    assert not pool.grow(third, lambda: resumed.append("third"))
    assert pool.waiting == 2
    assert resumed == []
    pool.give_back(first)
    assert resumed == ["second", "third"]
    assert (pool.waiting, pool.held) == (0, 48 * MIB)


def test_when_all_frames_wait_the_first_of_them_goes_on() -> None:
    pool, resumed = BufferPool(Memory(20 * MIB)), list[str]()
    buffers = [half_of(pool, 24 * MIB) for _ in range(3)]
    assert not pool.grow(buffers[0], lambda: resumed.append("first"))
    assert not pool.grow(buffers[1], lambda: resumed.append("second"))
    assert pool.grow(buffers[2], lambda: None)
    pool.give_back(buffers[2])
    assert resumed == ["first"]
    pool.give_back(buffers[0])
    assert resumed == ["first", "second"]


def test_a_waiting_frame_whose_connection_goes_is_left_out() -> None:
    pool, resumed = BufferPool(Memory(20 * MIB)), list[str]()
    buffers = [half_of(pool, 24 * MIB) for _ in range(3)]
    for name, buffer in zip("ab", buffers[:2], strict=True):
        pool.grow(buffer, lambda name=name: resumed.append(name))
    pool.give_back(buffers[0])
    assert pool.waiting == 1
    pool.give_back(buffers[2])
    assert resumed == ["b"]
    pool.give_back(buffers[1])
    assert (pool.held, pool.waiting) == (0, 0)
