"""What is known of a request when it has ended, for those who log, count or time requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Ended(NamedTuple):
    """One request. Sizes in bytes, without the length in front; times in ms."""

    api: str | None
    """As ``Produce``; None where the request could not be read so far."""
    version: int
    client_id: str | None
    principal: str
    client_host: str
    connection: int
    listener: str
    how: str
    """``answered``, ``done without an answer``, ``refused`` or ``abandoned``."""
    error: str
    """Why it failed as a whole, as ``NOT_CONTROLLER``; else ""."""
    received: int
    sent: int
    total_ms: float
    """From its arrival to the last byte handed to the system."""
    work_ms: float
    """The part of it before it had to wait."""
    throttle_ms: int
    """How long its client is throttled from now on."""


Observer = Callable[[Ended], None]
