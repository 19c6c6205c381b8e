"""The broker's side of one login, whichever the mechanism."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import NamedTuple


class Heard(NamedTuple):
    """A token of the client; ``now`` is the wall clock in ms."""

    token: bytes
    now: int


class Accepted(NamedTuple):
    """Who the client is. ``answer`` is the last token for it, None where it expects none;
    ``expires_at`` (wall clock, ms) is when what it showed ends; None: it does not."""

    name: str
    answer: bytes | None = b""
    expires_at: int | None = None
    by_token: bool = False
    """Whether a delegation token was the password."""


Dialogue = Generator[bytes, Heard, Accepted]
"""Yields the token to send, first an empty one that is not sent; is sent what the client says;
returns who it is. Raises LoginError."""

NewDialogue = Callable[[], Dialogue]


def begun(new: NewDialogue) -> Dialogue:
    """A dialogue that waits for the client's first token."""
    made = new()
    next(made)
    return made
