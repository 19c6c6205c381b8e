"""Both sides of a login by GSSAPI over a security context: the bytes to send, given those received.

Source: RFC 4752. Kafka has no security layer below it, so both sides agree on none.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Protocol

NO_LAYER = 1
"""The bit of a mask of security layers that means none."""
HEAD = 4
"""Bytes: which layers, then the largest message, which is 0 without a layer."""


class LayerError(ValueError):
    """The other side does not keep to RFC 4752."""


class SecurityContext(Protocol):
    """GSSAPI's context (RFC 2743). What it raises is its maker's own."""

    @property
    def complete(self) -> bool:
        """Whether both sides have proved who they are."""

    def step(self, token: bytes) -> bytes:
        """Take a token of the other side (none at first), return the next one, "" for none."""

    def wrap(self, message: bytes) -> bytes:
        """Sign."""

    def unwrap(self, token: bytes) -> bytes:
        """What the other side has signed."""


def initiate(context: SecurityContext, principal: str = "") -> Generator[bytes, bytes, None]:
    """The client's side; ``principal`` is whom it asks to be. Raises LayerError."""
    token = context.step(b"")
    while not context.complete:
        token = context.step((yield token))
    offered = context.unwrap((yield token))
    if len(offered) != HEAD:
        raise LayerError(f"an offer of security layers of {len(offered)} bytes")
    if not offered[0] & NO_LAYER:
        raise LayerError("the other side insists on a security layer")
    yield context.wrap(_said() + principal.encode())


def accept(context: SecurityContext) -> Generator[bytes, bytes, None]:
    """The broker's side: yields nothing first, ends when the client has proved who it is. Whom it
    asks to be does not matter, as in Kafka. Raises LayerError."""
    heard = yield b""
    token = context.step(heard)
    while not context.complete:
        token = context.step((yield token))
    if token and (yield token):
        raise LayerError("a token where none was due")
    answer = context.unwrap((yield context.wrap(_said())))
    if len(answer) < HEAD:
        raise LayerError(f"a choice of a security layer of {len(answer)} bytes")
    if answer[0] != NO_LAYER:
        raise LayerError("the client chose a security layer that was not offered")


def _said() -> bytes:
    return bytes((NO_LAYER, 0, 0, 0))
