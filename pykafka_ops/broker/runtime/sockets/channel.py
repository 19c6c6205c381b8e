"""What a connection and what serves it ask of each other."""

from __future__ import annotations

from typing import Protocol

from pykafka_ops.wire.types import Part


class Channel(Protocol):
    """The connection that a request came by."""

    listener: str
    client_host: str
    identity: int
    busy: bool
    """Set while a request waits for its answer: none behind it is served."""

    closing: bool
    """Whether nothing more is served or sent."""

    def write(self, data: bytes) -> None:
        """Send the bytes of an answer."""

    def writelines(self, parts: list[Part], size: int) -> None:
        """Send an answer of ``size`` bytes that consists of several parts."""

    def resume(self) -> None:
        """Serve the requests behind one that had to wait."""

    def leave_alone(self, ms: int) -> None:
        """The client is over a quota: serve nothing more for so long."""

    def close(self) -> None:
        """Hang up once everything is sent."""

    def refuse(self, error: BaseException) -> None:
        """Hang up because of what the client sent, or because there is no answer to it."""


class FrameServer(Protocol):
    """What serves a connection: its requests, or what comes before them."""

    def serve(self, frame: memoryview) -> None:
        """Answer a frame, or begin to. Raises WireError for what is none, or has no answer."""

    def refused(self, error: BaseException) -> None:
        """The connection is to be closed because of what the client sent: log it, and hang up."""

    def forget_shapes(self) -> None:
        """What the client may do has changed."""

    def close(self) -> None:
        """The connection is gone."""


class LoginChannel(Channel, Protocol):
    """A connection whose client has to log in first."""

    exchange: FrameServer
    """What serves it from now on."""

    least_frame: int
    most_frame: int
    """Bytes of the smallest and of the largest frame that is taken."""
