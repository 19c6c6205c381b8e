"""A loop that complains, and a peer on it; a count of encodings."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from pykafka_ops.wire import frame as frames
from tests.support.wire.peer import Peer, quiet_loop


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    with quiet_loop() as made:
        yield made


@pytest.fixture
def peer(loop: asyncio.AbstractEventLoop) -> Peer:
    return Peer(loop)


@pytest.fixture
def encodings(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often a message of each class was encoded as an answer."""
    counted: Counter[str] = Counter()
    encode_parts = frames.encode_parts

    def counting(msg: object, version: int, parts: list[Any]) -> None:
        counted[type(msg).__name__] += 1
        encode_parts(msg, version, parts)

    monkeypatch.setattr(frames, "encode_parts", counting)
    return counted
