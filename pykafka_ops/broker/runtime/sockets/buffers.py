"""Receive buffers: one shared by all connections, and a small pool for large frames.

A connection costs about 2 KiB while idle: bytes arrive in the shared buffer and frames that
are whole in it are served from there without a copy. Only a frame that is larger than what
arrived gets memory of its own, and never more than twice what it has received once the
pool's budget is spent, so that a claimed length alone allocates nothing. All such frames
together stay within a limit: beyond it one of them grows at a time and the others are not read.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from mmap import mmap

from pykafka_ops.broker.runtime.sockets.plain.transport import PoolHead
from pykafka_ops.broker.state.memory import LARGEST_POOLED, Memory

SHARED_SIZE = 512 * 1024
LITTLE = 4 * 1024
"""What is read at a time while memory is short: it may have to be held."""
POOL_CLASSES = (256 * 1024, 1024 * 1024 + 65536, LARGEST_POOLED)
POOL_KEEP = 4
EAGER_BUDGET = 64 * 1024 * 1024
FIRST_GROWTH = 8 * 1024

Resume = Callable[[], None]


def kept(frame: memoryview) -> memoryview:
    """A frame that is still needed when others arrive: a copy where its memory is used again."""
    return frame if len(frame) > POOL_CLASSES[-1] else memoryview(bytes(frame))


class FrameBuffer:
    """Memory for one frame that is still arriving; ``size`` bytes in the end."""

    __slots__ = ("data", "eager", "filled", "parked", "returned", "size")

    def __init__(self, data: bytearray, size: int, eager: int) -> None:
        self.data = data
        self.size = size
        self.filled = 0
        self.eager = eager
        self.parked = False
        self.returned = False

    @property
    def complete(self) -> bool:
        """Whether the whole frame is here."""
        return self.filled >= self.size

    @property
    def full(self) -> bool:
        """Whether the memory it has is used up, but the frame is not whole."""
        return self.filled == len(self.data) < self.size

    def room(self) -> memoryview:
        """Where the next bytes of this frame go, never beyond its end."""
        return memoryview(self.data)[self.filled : self.size]


class BufferPool(PoolHead):
    """Hands out frame buffers and takes them back for the next large frame."""

    def __init__(self, memory: Memory) -> None:
        # Mapped, not allocated: pages that no request has filled take no memory.
        self.shared_view = memoryview(mmap(-1, SHARED_SIZE))
        self._little = self.shared_view[:LITTLE]
        self.next_view = self.shared_view
        """Where the next bytes go that are read."""
        self.next_size = SHARED_SIZE
        self._memory = memory
        self.held = 0
        """Bytes of all frames that are arriving, and of what is charged beside them."""
        self.waiting = 0
        """How many of them are not read, for want of memory."""
        self._frames = 0
        self._free: dict[int, list[bytearray]] = {size: [] for size in POOL_CLASSES}
        self._eager = 0
        self._parked: deque[tuple[FrameBuffer, Resume]] = deque()

    def take(self, size: int, have: memoryview) -> FrameBuffer:
        """A buffer for a frame of ``size`` bytes whose beginning ``have`` is here already."""
        eager = next((c for c in POOL_CLASSES if c >= size), 0)
        if eager and self._eager + eager <= EAGER_BUDGET:
            free = self._free[eager]
            data = free.pop() if free else bytearray(eager)
            self._eager += eager
        else:
            eager = 0
            data = bytearray(min(size, max(FIRST_GROWTH, 2 * len(have))))
        buffer = FrameBuffer(data, size, eager)
        data[: len(have)] = have
        buffer.filled = len(have)
        self.held += len(data)
        self._frames += 1
        return buffer

    def has_room(self, size: int) -> bool:
        """Whether so much more may be held."""
        return self.held + size <= self._memory.for_requests

    def charge(self, size: int) -> None:
        """Memory beside the frames is taken for requests; given back if ``size`` is negative.
        Where it gets short, little is read at a time."""
        self.held += size
        if size <= 0:
            self._unpark()
        self.next_view = self.shared_view if self.has_room(SHARED_SIZE) else self._little
        self.next_size = len(self.next_view)

    def grow(self, buffer: FrameBuffer, resume: Resume) -> bool:
        """Double a full buffer; False if its connection must not be read until ``resume()``.

        When all other frames wait, this one grows whatever the limit says, so that there is
        always one that can be finished.
        """
        if not self._may_grow(buffer, self.waiting):
            buffer.parked = True
            self.waiting += 1
            self._parked.append((buffer, resume))
            return False
        self._double(buffer)
        return True

    def _may_grow(self, buffer: FrameBuffer, others_waiting: int) -> bool:
        more = min(buffer.size - buffer.filled, buffer.filled)
        return self.held + more <= self._memory.for_requests or others_waiting == self._frames - 1

    def _double(self, buffer: FrameBuffer) -> None:
        """New memory, since the transport still holds a view of the old."""
        data = bytearray(min(buffer.size, 2 * buffer.filled))
        data[: buffer.filled] = buffer.data
        self.held += len(data) - len(buffer.data)
        buffer.data = data

    def give_back(self, buffer: FrameBuffer) -> None:
        """The frame has been served, or its connection is gone; who waits for memory goes on."""
        if buffer.returned:
            return
        buffer.returned = True
        self._frames -= 1
        self.held -= len(buffer.data)
        if buffer.parked:
            buffer.parked = False
            self.waiting -= 1
        if buffer.eager:
            self._eager -= buffer.eager
            free = self._free[buffer.eager]
            if len(free) < POOL_KEEP:
                free.append(buffer.data)
        self.charge(0)

    def _unpark(self) -> None:
        """Let those that wait go on, the first first, while there is room."""
        while self._parked:
            buffer, resume = self._parked[0]
            if buffer.parked:
                if not self._may_grow(buffer, self.waiting - 1):
                    return
                buffer.parked = False
                self.waiting -= 1
                self._double(buffer)
                resume()
            self._parked.popleft()
