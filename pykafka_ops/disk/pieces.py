"""Copies of what is large, made so that other threads of this process have their turn."""

from __future__ import annotations

from mmap import mmap

PIECE = 1 << 20
"""Bytes that are unpacked, or copied, between two turns of others."""


def in_pieces(data: memoryview) -> bytes:
    """A copy; ``join`` itself lets others go on where it has much to do."""
    if len(data) <= PIECE:
        return bytes(data)
    return b"".join([bytes(data[at : at + PIECE]) for at in range(0, len(data), PIECE)])


class Unpacked:
    """What is unpacked, up to ``left`` bytes more: an unpacker asks for :meth:`room`, and says how
    much of it is :meth:`filled`. Every piece has memory of its own."""

    def __init__(self, limit: int) -> None:
        self.left = limit
        self._room = memoryview(b"")
        self._pieces: list[bytes] = []

    def room(self, size: int) -> memoryview:
        """Memory for the next ``size`` bytes."""
        # Mapped memory costs nothing before it is filled.
        self._room = memoryview(bytearray(size) if size <= PIECE else mmap(-1, size))
        return self._room

    def filled(self, size: int) -> None:
        """So many bytes of the room are filled."""
        self.left -= size
        self._pieces.append(in_pieces(self._room[:size]))

    def whole(self) -> bytes | memoryview:
        """All that was unpacked."""
        return self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)


class UnpackedInto(Unpacked):
    """The same in ``memory``, which costs nothing anew where it is used again and again."""

    def __init__(self, memory: memoryview) -> None:
        super().__init__(len(memory))
        self._memory = memory
        self._at = 0

    def room(self, size: int) -> memoryview:
        return self._memory[self._at : self._at + size]

    def filled(self, size: int) -> None:
        self.left -= size
        self._at += size

    def whole(self) -> memoryview:
        return self._memory[: self._at]
