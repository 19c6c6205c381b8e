"""Records to produce: all shapes that the format allows, the same ones for the same seed."""

from __future__ import annotations

import random
import time
from dataclasses import replace

from tests.support.clients.base import Client, Header, Message

BASE_TIME = int(time.time() * 1000) - 3_600_000


def _key(rng: random.Random, i: int) -> bytes | None:
    return rng.choice([None, b"", f"key-{i % 10}".encode(), rng.randbytes(12)])


def _value(rng: random.Random, i: int) -> bytes | None:
    text = f'{{"order": {i}, "amount": {rng.randrange(10_000)}, "place": "Zürich"}}'.encode()
    return rng.choice([text, text, text * 5, rng.randbytes(rng.randrange(200)), b"", None])


def _headers(rng: random.Random, i: int) -> tuple[Header, ...]:
    choices: list[Header] = [("trace", f"{i:x}".encode()), ("ß", b""), ("trace", b"again")]
    choices.append(("nothing", None))
    return tuple(rng.sample(choices, rng.randrange(len(choices))))


def messages(count: int, *, seed: int = 1, client: Client | None = None) -> list[Message]:
    """``count`` messages with null, empty, text and binary parts; times partly go backwards.

    ``client``: leave out what that library cannot send.
    """
    rng = random.Random(seed)
    made = [
        Message(
            _value(rng, i), _key(rng, i), _headers(rng, i), BASE_TIME + i * 10 - rng.randrange(30)
        )
        for i in range(count)
    ]
    return made if client is None else [_sendable(m, client) for m in made]


def _sendable(m: Message, client: Client) -> Message:
    if not client.sends_headers:
        m = replace(m, headers=())
    if not client.sends_nulls:
        filled = tuple((name, b"" if value is None else value) for name, value in m.headers)
        m = replace(m, headers=filled, value=b"" if m.key is None and m.value is None else m.value)
    return m
