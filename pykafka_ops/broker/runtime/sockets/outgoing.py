"""What one client has yet to take of its answers.

Large answers go out as fast as the client reads: records wait for it in their files, and the loop's
transport never holds more than a piece. asyncio's ``writelines`` is not used: in some releases it
does not pause (CVE-2024-12254).
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable
from mmap import mmap

from pykafka_ops.broker.runtime.sockets.turns import Turns
from pykafka_ops.broker.state.memory import Account
from pykafka_ops.wire.types import Buffer, Part

PIECE = 16 * 1024
"""Bytes handed to the transport at a time, when the client does not take all at once."""
WHOLE = 32 * 1024
"""Answers up to this size (bytes) are in memory as a whole, and handed to the transport so."""
WRITE_HIGH = PIECE // 2
"""Bytes in the transport above which nothing more is given to it."""
STRETCH = 1024 * 1024 + PIECE
"""Bytes offered to the socket at a time, as long as it takes them."""
MOST_READY = 16
"""Clients whose records stay in memory while they wait for their turn."""
MOST_BUFFERS = 1000
"""The system takes 1024 at a time."""

_ROOM = memoryview(mmap(-1, STRETCH))
"""Records on their way to a socket: mapped, so that it takes no memory before it is used."""

ReadAside = Callable[[Callable[[], bytes]], None]
"""Runs a function in another thread, and gives what comes of it to :meth:`Outgoing.was_read`."""


class Behind:
    """What a client that is behind holds of the memory for answers."""

    __slots__ = ("_account", "_holder", "_since")

    def __init__(self, account: Account) -> None:
        self._account = account
        self._holder = account.holder()
        self._since = 0.0

    def note(self, held: int, now: float) -> bool:
        """It has taken some, or holds more, at ``now`` (ms); False if all of them hold too much."""
        self._holder.change(held - self._holder.held)
        self._since = now
        return self._account.held <= self._account.limit

    def cost(self, now: float) -> float:
        """How much it has held for how long, since it took something last."""
        return self._holder.held * (now - self._since + 1)

    def release(self) -> None:
        """Its connection is closed."""
        self._holder.release()


class Outgoing:
    """Writes to ``transport``; ``read_aside`` is for records that are not in memory, ``go_on`` is
    called when others have had their turn."""

    __slots__ = (
        "_at",
        "_fd",
        "_go_on",
        "_left",
        "_parts",
        "_read_aside",
        "_stands_by",
        "_stretch",
        "_transport",
        "_turns",
        "paused",
    )

    def __init__(
        self,
        transport: asyncio.WriteTransport,
        turns: Turns,
        *,
        read_aside: ReadAside,
        go_on: Callable[[], None],
    ) -> None:
        self._transport = transport
        self._turns = turns
        self._read_aside = read_aside
        self._go_on = go_on
        self._parts: deque[Part] = deque()
        self._at = 0
        """Bytes of the first part that are written."""
        self._left = 0
        """Bytes of all parts that are not."""
        self._stretch = STRETCH
        """Bytes that the client is likely to take at once."""
        self._stands_by = False
        """Whether a thread reads what is to be written next, or others have their turn."""
        self.paused = False
        """Whether the client is behind: the transport asked to be left alone."""
        transport.set_write_buffer_limits(high=WRITE_HIGH)
        sock = transport.get_extra_info("socket")
        direct = sock is not None and transport.get_extra_info("ssl_object") is None
        self._fd = sock.fileno() if direct else -1

    @property
    def is_empty(self) -> bool:
        """Whether all of it was given to the transport."""
        return not self._parts

    @property
    def is_done(self) -> bool:
        """Whether the client has taken all of it, or nearly."""
        return not self._parts and not self.paused

    @property
    def held(self) -> int:
        """Bytes of memory that wait for the client."""
        left = sum(len(part) for part in self._parts if isinstance(part, Buffer))
        return left + self._transport.get_write_buffer_size()

    def add(self, parts: list[Part], size: int) -> None:
        """Write these, of ``size`` bytes together, behind what is there. OSError as
        :meth:`write_on`."""
        self._parts.extend(parts)
        self._left += size
        self.write_on()

    def write_on(self) -> None:
        """Write until there is nothing left, the client is behind, or others have their turn.
        OSError when records cannot be read any more."""
        while self._parts and not self.paused and not self._stands_by:
            if self._turns.over:
                self._stands_by = True
                if self._turns.wait(self._my_turn) > MOST_READY:
                    self._let_go()
            elif not self._write_directly():
                self._hand_over()

    def was_read(self, data: bytes) -> None:
        """The next piece, read from the disk. OSError as :meth:`write_on`."""
        self._stands_by = False
        if self._parts:
            self._advance(len(data))
            self._transport.write(data)
            self.write_on()

    def _my_turn(self) -> None:
        self._stands_by = False
        self._go_on()

    def _write_directly(self) -> bool:
        """Write a stretch to the socket: nothing of it is copied, or kept. False if it does not
        take all of it, or the disk has to be waited for."""
        if self._fd < 0 or self._transport.get_write_buffer_size():
            return False
        stretch = self._stretch
        buffers, size = self._next(_ROOM[:stretch])
        try:
            written = os.writev(self._fd, buffers) if size else 0
        except OSError:  # the client is behind, or gone: the transport finds out
            written = 0
        self._advance(written)
        self._turns.spend(written)
        if not size or written < size:
            self._stretch = max(written, PIECE)
            return False
        if stretch < STRETCH:
            self._stretch = min(2 * stretch, STRETCH)
        return True

    def _hand_over(self) -> None:
        """Give the transport a piece; it pauses us if the client does not take that."""
        self._let_go()
        buffers, size = self._next(_ROOM[:PIECE])
        if size:
            data = b"".join(buffers)
            self._advance(size)
            self._turns.spend(size)
            self._transport.write(data)
        else:
            self._read()

    def _let_go(self) -> None:
        """Hold no records in memory that are in files."""
        for part in self._parts:
            if not isinstance(part, Buffer):
                part.let_go()

    def _next(self, room: memoryview) -> tuple[list[Buffer], int]:
        """What comes next, and its bytes: as many as ``room`` has, which records are read into;
        fewer at the end; none if the disk has to be waited for."""
        found: list[Buffer] = []
        at, done, most = self._at, 0, len(room)
        for part in self._parts:
            size = len(part) - at
            if size > most - done:
                size = most - done
            if not isinstance(part, Buffer):
                data: Buffer = part.cached(at, room[done : done + size])
            elif at or size < len(part):
                data = memoryview(part)[at : at + size]
            else:
                data = part
            found.append(data)
            done += len(data)
            if done == most or len(data) < size or len(found) == MOST_BUFFERS:
                break
            at = 0
        return found, done

    def _advance(self, count: int) -> None:
        """``count`` bytes are written."""
        self._left -= count
        if not self._left:
            self._parts.clear()
            self._at = 0
            return
        at, parts = self._at + count, self._parts
        while at >= (size := len(parts[0])):
            at -= size
            parts.popleft()
        self._at = at

    def _read(self) -> None:
        """Go on when a piece was read from the disk."""
        part, at = self._parts[0], self._at
        assert not isinstance(part, Buffer)
        count = min(PIECE, len(part) - at)
        self._stands_by = True
        self._read_aside(lambda: part.read(at, count))
