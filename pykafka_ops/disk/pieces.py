"""Copies of what is large, made so that other threads of this process have their turn."""

from __future__ import annotations

PIECE = 1 << 20
"""Bytes that are unpacked, or copied, between two turns of others."""


def in_pieces(data: memoryview) -> bytes:
    """A copy; ``join`` itself lets others go on where it has much to do."""
    if len(data) <= PIECE:
        return bytes(data)
    return b"".join([bytes(data[at : at + PIECE]) for at in range(0, len(data), PIECE)])
